// @module-tag browser
import type { Browser } from "puppeteer";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Stub } from "../stub/responses.ts";
import { startStub } from "../stub/stub-server.ts";
import { openBrowser, openConsole, signIn, type Visitor } from "./open-console.ts";

let stub: Stub;
let browser: Browser;
let visitor: Visitor;
beforeAll(async () => {
  [stub, browser] = await Promise.all([startStub(), openBrowser()]);
  visitor = await openConsole(browser, stub);
  await signIn(visitor, stub);
});
afterAll(async () => {
  await browser.close();
  await stub.close();
});

/** The focused element: its tag, and its text or id. */
const focused = (): Promise<string> =>
  visitor.page.evaluate(() => {
    const { tagName, textContent, id } = document.activeElement ?? document.body;
    return `${tagName} ${id === "main" ? id : textContent}`;
  });
const type = async (...keys: Parameters<Visitor["page"]["keyboard"]["press"]>[0][]): Promise<void> => {
  for (const key of keys) await visitor.page.keyboard.press(key);
};

it("the first focusable element skips to the content", async () => {
  await visitor.go("/requests");
  await type("Tab");
  await expect.poll(focused).toBe("A Skip to content");
  await type("Enter");
  await expect.poll(focused).toBe("MAIN main");
  await expect.poll(() => visitor.page.url()).toContain("#/requests");
});

it("navigation moves focus to the heading", async () => {
  await visitor.go("/requests");
  await visitor.page.focus("nav a[href='#/batches']");
  await type("Enter");
  await visitor.see("3 batches");
  await expect.poll(focused).toBe("H1 Batches");
});

it("a dialog traps focus, closes on Escape and restores focus", async () => {
  await visitor.go("/accounts");
  await visitor.page.focus("::-p-aria([name='Create an account'])");
  await type("Enter");
  await visitor.page.waitForSelector("dialog[open]");
  for (let step = 0; step < 12; step += 1) {
    await type("Tab");
    const isInside = await visitor.page.evaluate(
      () => document.activeElement === document.body || document.activeElement?.closest("dialog") !== null,
    );
    expect(isInside).toBe(true);
  }
  await type("Escape");
  await visitor.page.waitForFunction(() => document.querySelector("dialog") === null);
  await expect.poll(focused).toBe("BUTTON Create an account");
});

it("the arrow keys move between tabs", async () => {
  await visitor.go("/playground?url=https%3A%2F%2Fexample.com%2F");
  await visitor.page.focus("[role=tab][aria-selected=true]");
  await type("ArrowRight");
  await expect.poll(focused).toBe("BUTTON TypeScript");
  await visitor.see("createClient");
  await type("ArrowLeft", "ArrowLeft");
  await expect.poll(focused).toBe("BUTTON <img>");
});

it("copying leaves the focus on the button, even without navigator.clipboard, as over plain HTTP", async () => {
  await visitor.go("/playground?url=https%3A%2F%2Fexample.com%2F");
  await visitor.page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
  });
  await visitor.page.focus("::-p-aria([name='Copy link'])");
  await type("Enter");
  await visitor.see("Link copied.");
  await expect.poll(focused).toBe("BUTTON Copy link");
});

it("every control of the playground has a focus outline", async () => {
  await visitor.go("/playground?url=https%3A%2F%2Fexample.com%2F");
  const controls = await visitor.page.evaluate(() => {
    const all = document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary");
    const reachable = Array.from(all).filter(
      (each) =>
        each.tabIndex === 0 &&
        each.checkVisibility() &&
        !each.matches(":disabled, :not(:checked)[type=radio]"),
    );
    return reachable.map((each, index) => {
      const stop = `${index} ${each.outerHTML.slice(0, 80)}`;
      each.dataset["stop"] = stop;
      return stop;
    });
  });
  const outlines = new Map<string, string>();
  for (const _ of controls) {
    await type("Tab");
    const { stop, outline } = await visitor.page.evaluate(() => {
      const element = document.activeElement instanceof HTMLElement ? document.activeElement : document.body;
      // radio buttons are invisible; their labels have the outline
      const shown = element.matches("[type=radio]") ? (element.nextElementSibling ?? element) : element;
      return { stop: element.dataset["stop"] ?? "", outline: getComputedStyle(shown).outlineStyle };
    });
    outlines.set(stop, outline);
  }
  expect(outlines).toEqual(new Map(controls.map((control) => [control, "solid"])));
});

it("on a phone, the menu opens and closes", async () => {
  await visitor.page.setViewport({ width: 375, height: 700 });
  await visitor.go("/requests");
  const ariaExpanded = (): Promise<string | null> =>
    visitor.page.$eval(".menu-button", (button) => button.getAttribute("aria-expanded"));
  await expect.poll(ariaExpanded).toBe("false");
  await visitor.press("Menu");
  await expect.poll(ariaExpanded).toBe("true");
  await visitor.press("Usage", "link");
  await visitor.see("Requests by day");
  await expect.poll(ariaExpanded).toBe("false");
  // the form changes the address without a navigation
  await visitor.go("/playground");
  await visitor.fill("url", "https://example.com/");
  await visitor.page.waitForFunction(() => location.hash.includes("example.com"));
  await visitor.press("Menu");
  await expect.poll(ariaExpanded).toBe("true");
  await visitor.press("Playground", "link");
  await expect.poll(ariaExpanded).toBe("false");
  await visitor.page.setViewport({ width: 1440, height: 900 });
});
