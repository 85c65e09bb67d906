import { peerUrl } from "./peers.ts";
import { QUALITY, SANDBOX_ARGUMENTS, VIEWPORT, type StartProgram } from "./way.ts";

/** What this file uses of capture-website, which is installed on demand. */
interface CaptureWebsiteModule {
  readonly default: { buffer(url: string, options: object): Promise<Uint8Array> };
}

/** capture-website, which starts a browser for each picture and always waits for a quiet network. */
export const startCaptureWebsite: StartProgram = async ({ browserPath }) => {
  const { default: captureWebsite } = (await import(peerUrl("capture-website"))) as CaptureWebsiteModule;
  return {
    async render({ url, format, fullPage }) {
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
  };
};
