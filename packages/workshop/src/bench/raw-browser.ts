import puppeteer from "puppeteer";
import { findBrowser } from "../machine/find-browser.ts";

export interface RawBrowser {
  readonly version: string;
  readonly render: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * The bound that fresh isolation sets: raw protocol calls to one browser, with a context of its own for
 * each render and no proxy, limits, ledger or cache around it.
 */
export async function startRawBrowser(url: string): Promise<RawBrowser> {
  const executablePath = await findBrowser();
  if (executablePath === null) throw new Error("No browser to compare with.");
  // Renders our own page only. As root there is no sandbox to be had without a user of its own.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await puppeteer.launch({ executablePath, args, headless: "shell", pipe: true });
  return {
    version: await browser.version(),
    close: () => browser.close(),
    async render() {
      const context = await browser.createBrowserContext();
      const session = await (await context.newPage()).createCDPSession();
      const metrics = { width: 1280, height: 800, deviceScaleFactor: 1, mobile: false };
      await Promise.all([
        session.send("Emulation.setDeviceMetricsOverride", metrics),
        session.send("Page.enable"),
      ]);
      const loaded = new Promise((resolve) => session.once("Page.loadEventFired", resolve));
      await session.send("Page.navigate", { url });
      await loaded;
      await session.send("Page.captureScreenshot", { format: "png" });
      await context.close();
    },
  };
}
