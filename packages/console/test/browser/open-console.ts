import { findBrowser } from "@snap/engine/puppeteer";
import puppeteer, { type Browser, type ElementHandle, type Page } from "puppeteer";
import type { Stub } from "../stub/responses.ts";

export async function openBrowser(): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const executablePath = (await findBrowser()) ?? "";
  return puppeteer.launch({ executablePath, headless: "shell", pipe: true, args });
}

/** A visitor with separate cookies and storage. */
export interface Visitor {
  readonly page: Page;
  /** Policy violations, script errors, and requests to other origins. */
  readonly problems: string[];
  /** Opens a route and waits until the console has loaded its data. */
  readonly go: (route: string) => Promise<void>;
  /** Clicks the control with exactly this name and role. */
  readonly press: (name: string, role?: "button" | "link" | "tab" | "radio") => Promise<void>;
  /** Replaces the text of the field with this label. */
  readonly fill: (label: string, text: string) => Promise<void>;
  readonly choose: (label: string, option: string) => Promise<void>;
  /** Waits until the text is visible, then returns `true`. */
  readonly see: (text: string) => Promise<boolean>;
  readonly text: (selector: string) => Promise<string>;
  /** Returns the text on the clipboard. */
  readonly clipboardText: () => Promise<string>;
}

const ERROR_RESPONSE = "Failed to load resource";

export async function openConsole(
  browser: Browser,
  { origin, base }: Pick<Stub, "origin" | "base">,
): Promise<Visitor> {
  const context = await browser.createBrowserContext();
  const permissions = ["clipboard-read", "clipboard-write"].map((name) => ({
    permission: { name },
    state: "granted" as const,
  }));
  await context.setPermission(origin, ...permissions);
  const page = await context.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  await page.evaluateOnNewDocument(countFetches);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    // Chromium also reports error responses, which some tests provoke
    if (message.type() === "error" && !message.text().startsWith(ERROR_RESPONSE))
      problems.push(message.text());
  });
  page.on("request", (request) => {
    const url = request.url();
    if (![`${origin}/`, "blob:", "data:"].some((start) => url.startsWith(start))) problems.push(url);
  });
  const findControl = async (label: string): Promise<ElementHandle<HTMLElement>> => {
    const found = await page.waitForFunction(
      (text) =>
        Array.from(document.querySelectorAll("label")).find((each) => each.innerText === text)?.control,
      {},
      label,
    );
    return found.asElement() as ElementHandle<HTMLElement>;
  };
  return {
    page,
    problems,
    async go(route) {
      await page.goto("about:blank");
      await page.goto(`${origin}${base}#${route}`);
      await waitUntilIdle(page);
    },
    async press(name, role = "button") {
      await page.locator(`::-p-aria([name="${name}"][role="${role}"])`).click();
      await waitUntilIdle(page);
    },
    async fill(label, text) {
      const element = await findControl(label);
      await element.click({ count: 3 });
      await page.keyboard.press("Backspace");
      await element.type(text);
    },
    async choose(label, option) {
      const element = await findControl(label);
      await element.select(option);
      await waitUntilIdle(page);
    },
    async see(text) {
      await page.waitForFunction((wanted) => document.body.innerText.includes(wanted), {}, text);
      return true;
    },
    text: (selector) => page.$eval(selector, (element) => (element as HTMLElement).innerText),
    clipboardText: () => page.evaluate(() => navigator.clipboard.readText()),
  };
}

/**
 * Counts the page's calls to `fetch`. Puppeteer's count of requests can stay above zero after one is aborted, and
 * Puppeteer considers the network idle when a busy machine has not yet sent anything.
 */
function countFetches(): void {
  const { fetch } = window;
  const fetches = { inFlight: 0, changedAtMs: performance.now() };
  const change = (by: number): void => {
    fetches.inFlight += by;
    fetches.changedAtMs = performance.now();
  };
  const countingFetch: typeof fetch = async (...parts) => {
    change(1);
    try {
      return await fetch(...parts);
    } finally {
      change(-1);
    }
  };
  Object.assign(window, { fetch: countingFetch, fetches });
}

interface CountedWindow {
  readonly fetches: { readonly inFlight: number; readonly changedAtMs: number };
}

/** Waits until the page has displayed the last change, no `fetch` is pending, and nothing is loading. */
export async function waitUntilIdle(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  await page.waitForFunction(() => {
    const { inFlight, changedAtMs } = (window as unknown as CountedWindow).fetches;
    const isNetworkIdle = inFlight === 0 && performance.now() > changedAtMs + 50;
    return isNetworkIdle && !document.body.innerText.includes("Loading ");
  });
}

export async function signIn(visitor: Visitor, stub: Stub): Promise<void> {
  stub.codes.add("test-code");
  await visitor.go("sign-in=test-code");
  await visitor.see("Rendering now");
}

/** Emulates a color scheme. Disables transitions, because colors are wrong while they run. */
export async function emulateColorScheme(page: Page, scheme: "light" | "dark"): Promise<void> {
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
}
