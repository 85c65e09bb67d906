// @module-tag browser
import { createRequire } from "node:module";
import puppeteer, { type Browser, type Page } from "puppeteer";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readFences, readPages } from "../../src/docs/markdown.ts";
import { findBrowser } from "../../src/machine/find-browser.ts";
import { ROOT } from "../../src/workspace.ts";

const diagrams = readPages(ROOT).flatMap((page) =>
  readFences(page)
    .filter(({ language }) => language === "mermaid")
    .map(({ text, line }): [place: string, text: string] => [`${page.path}:${line}`, text]),
);

let browser: Browser;
let tab: Page;
beforeAll(async () => {
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const executablePath = (await findBrowser()) ?? "";
  browser = await puppeteer.launch({ executablePath, headless: "shell", pipe: true, args });
  tab = await browser.newPage();
  await tab.addScriptTag({ path: createRequire(import.meta.url).resolve("@mermaid-js/tiny") });
});
afterAll(() => browser.close());

async function draw(text: string): Promise<string> {
  const svg = await tab.evaluate(`mermaid.render("diagram", ${JSON.stringify(text)}).then(({ svg }) => svg)`);
  return String(svg);
}

it.each(diagrams)("%s renders", async (_location, text) => {
  expect(await draw(text)).toMatch(/^<svg /);
});

it("a diagram with a syntax error does not render", async () => {
  await expect(draw('flowchart TD\n  a["b" --> c')).rejects.toThrow("Parse error on line");
});
