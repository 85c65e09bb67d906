import puppeteer from "puppeteer";
import { launchOptions, renderPage } from "./puppeteer-page.ts";
import type { StartProgram } from "./way.ts";

/** Plain Puppeteer: one shared browser, a browser context and a page for each render. */
export const startPuppeteer: StartProgram = async ({ browserPath }) => {
  const browser = await puppeteer.launch(launchOptions(browserPath));
  return {
    async render(job) {
      const context = await browser.createBrowserContext();
      try {
        return await renderPage(await context.newPage(), job);
      } finally {
        await context.close();
      }
    },
    close: () => browser.close(),
  };
};
