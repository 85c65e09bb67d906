import puppeteer from "puppeteer";
import { renderPage } from "./puppeteer-page.ts";
import { SANDBOX_ARGUMENTS, type StartProgram } from "./way.ts";

/** Puppeteer, with a browser that is started for one render and then closed. */
export const startLaunchPerRequest: StartProgram = async ({ browserPath }) => ({
  async render(job) {
    const browser = await puppeteer.launch({
      executablePath: browserPath,
      headless: "shell",
      pipe: true,
      args: [...SANDBOX_ARGUMENTS],
    });
    try {
      return await renderPage(await browser.newPage(), job);
    } finally {
      await browser.close();
    }
  },
  async close() {},
});
