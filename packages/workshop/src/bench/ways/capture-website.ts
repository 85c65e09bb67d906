import captureWebsite from "capture-website";
import { QUALITY, SANDBOX_ARGUMENTS, VIEWPORT, type StartProgram } from "./way.ts";

/** capture-website, which starts a browser for each picture and always waits for a quiet network. */
export const startCaptureWebsite: StartProgram = async ({ browserPath }) => ({
  render({ url, format, fullPage }) {
    if (format === "pdf") throw new Error("capture-website makes no PDF");
    return captureWebsite.buffer(url, {
      ...VIEWPORT,
      scaleFactor: 1,
      type: format,
      fullPage,
      ...(format === "png" ? {} : { quality: QUALITY / 100 }),
      // Its list of advertisers would be fetched from elsewhere.
      blockAds: false,
      launchOptions: {
        executablePath: browserPath,
        headless: "shell",
        pipe: true,
        args: [...SANDBOX_ARGUMENTS],
      },
    });
  },
  async close() {},
});
