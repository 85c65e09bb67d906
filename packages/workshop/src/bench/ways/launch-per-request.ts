import puppeteer from "puppeteer";
import { launchOptions, renderPage } from "./puppeteer-page.ts";
import type { StartProgram } from "./way.ts";

/** Puppeteer, with a browser that is started for one render and then closed. */
export const startLaunchPerRequest: StartProgram = async ({ browserPath }) => ({
  async render(job) {
    const browser = await puppeteer.launch(launchOptions(browserPath));
    try {
      return await renderPage(await browser.newPage(), job);
    } finally {
      await browser.close();
    }
  },
  async close() {},
});
