// @module-tag browser
import { findBrowser } from "@snap/engine/puppeteer";
import axe, { type AxeResults } from "axe-core";
import puppeteer, { type Browser, type Page } from "puppeteer";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openWorkspace } from "../cli/command.ts";

/** The name of another site, whose owner makes it resolve to this machine. */
const REBINDING_HOST = "rebound.example";

const workspace = openWorkspace({ SNAP_PORT: "0" });
let facts: { readonly origin: string; readonly token: string; readonly demo_page: string };
let browser: Browser;
let page: Page;
let problems: string[];

beforeAll(async () => {
  const running = workspace.start(["serve", "--dev", "--json"]);
  const [line] = await running.whenPrinted(/^\{"origin":.*$/m);
  facts = JSON.parse(line) as typeof facts;
  const args = [`--host-resolver-rules=MAP ${REBINDING_HOST} 127.0.0.1`];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  const executablePath = (await findBrowser()) ?? "";
  browser = await puppeteer.launch({ executablePath, headless: "shell", pipe: true, args });
});
afterAll(async () => {
  await browser.close();
  await workspace.cleanUp();
});
beforeEach(async () => {
  const context = await browser.createBrowserContext();
  page = await context.newPage();
  problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    // the browser logs each error response, which the page handles
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      problems.push(message.text());
  });
  return () => context.close();
});

const fill = (selector: string, text: string): Promise<void> => page.locator(selector).fill(text);
const waitForText = (text: string): Promise<unknown> =>
  page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`);
const submit = (): Promise<void> => page.locator("button[type=submit]").click();
const command = (): Promise<string> => page.$eval("#command", (element) => element.textContent ?? "");

/** Waits for the image, and returns its size. */
async function imageSize(): Promise<number[]> {
  const image = await page.waitForSelector("#result img");
  return (
    (await image?.evaluate(async (element) => {
      await element.decode();
      return [element.naturalWidth, element.naturalHeight];
    })) ?? []
  );
}

/** Sends the request of the reference's form, and returns the width of the rendering. */
async function executeAndMeasure(): Promise<number | undefined> {
  await page.locator("#operations-Rendering-renderPage .execute").click();
  const image = await page.waitForSelector("#operations-Rendering-renderPage .response img");
  return image?.evaluate((element) => element.naturalWidth);
}

/** Returns axe's violations, one text for each element. */
async function violations(): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate("axe.run()")) as AxeResults;
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} ${html} ${failureSummary}`),
  );
}

describe("the start page", () => {
  it("renders the demo page with one click, and shows the command for the same request", async () => {
    await page.goto(facts.origin);
    expect(await page.$eval("#token-field", (field) => field.checkVisibility())).toBe(false);
    await submit();
    expect(await imageSize()).toEqual([1280, 800]);
    await waitForText("1 credit");
    await submit();
    await waitForText("from the cache, free");
    const target = encodeURIComponent(facts.demo_page);
    expect(await command()).toBe(
      `curl -fsS -H 'Authorization: Bearer ${facts.token}' '${facts.origin}/v1/snap?url=${target}' -o page.png`,
    );
    await page.locator("#full-page").click();
    await page.locator("#format").fill("jpeg");
    await submit();
    await waitForText("1 credit");
    expect((await imageSize())[1]).toBeGreaterThan(800);
    expect(await command()).toContain("&format=jpeg&fullPage=true' -o page.jpg");
    expect(problems).toEqual([]);
  });

  it.for([
    ["light", "rgb(247, 243, 234)"],
    ["dark", "rgb(22, 21, 15)"],
  ])("is accessible, even on a phone, with the color scheme %s", async ([scheme = "", ground]) => {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.goto(facts.origin);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(ground);
    await submit();
    await imageSize();
    for (const width of [1280, 375]) {
      await page.setViewport({ width, height: 800 });
      expect([width, ...(await violations())]).toEqual([width]);
      const excessPx = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([width, excessPx]).toEqual([width, 0]);
    }
  });

  it("offers a PDF as a file", async () => {
    await page.goto(facts.origin);
    await page.locator("#format").fill("pdf");
    expect(await page.evaluate('document.querySelector("#full-page").disabled')).toBe(true);
    await submit();
    await page.waitForSelector("#result a");
    const [name, address] = await page.$eval("#result a", ({ download, href }) => [download, href]);
    expect(name).toBe("page.pdf");
    expect(address).toMatch(/^blob:/);
    expect(await page.$("#result img")).toBeNull();
  });

  it("asks for a token on another site's host name, and stores the token only in the tab", async () => {
    const origin = `http://${REBINDING_HOST}:${new URL(facts.origin).port}`;
    await page.goto(origin);
    expect(await page.content()).not.toContain(facts.token);
    await fill("#url", facts.demo_page);
    await submit();
    await waitForText("Enter a token.");
    await fill("#token", "1|wrong");
    await submit();
    await waitForText("The bearer token is missing, unknown, expired or revoked");
    await waitForText("(unauthenticated)");
    await fill("#token", facts.token);
    await submit();
    expect(await imageSize()).toEqual([1280, 800]);
    expect(await command()).toContain('"Authorization: Bearer $SNAP_TOKEN"');
    expect(await command()).toContain(origin);
    await page.reload();
    expect(await page.evaluate('document.querySelector("#token").value')).toBe(facts.token);
    expect(await page.evaluate("[localStorage.length, document.cookie]")).toEqual([0, ""]);
    expect(problems).toEqual([]);
  });

  it("shows the service's error, and adds https:// to a URL without a scheme", async () => {
    await page.goto(facts.origin);
    await fill("#url", "10.0.0.1");
    await submit();
    await waitForText("(blocked_host)");
    expect(await command()).toContain("url=https%3A%2F%2F10.0.0.1");
  });

  it("passes its token to the reference, whose form shows the image", async () => {
    const origin = `http://${REBINDING_HOST}:${new URL(facts.origin).port}`;
    await page.goto(origin);
    await fill("#url", facts.demo_page);
    await fill("#token", facts.token);
    await submit();
    await imageSize();
    await page.goto(`${origin}/docs`);
    expect(await page.content()).not.toContain(facts.token);
    await page
      .locator('#operations-Rendering-renderPage [data-param-name="url"] input')
      .fill(facts.demo_page);
    expect(await executeAndMeasure()).toBe(1280);
    expect(await page.evaluate("localStorage.length")).toBe(0);
    expect(problems).toEqual([]);
  });

  it("is not needed for the reference, which renders the demo page with one click", async () => {
    await page.goto(`${facts.origin}/docs`);
    expect(await executeAndMeasure()).toBe(1280);
    expect(problems).toEqual([]);
  });
});
