import puppeteer, { type LaunchOptions, type Page } from "puppeteer";
import { Cluster } from "puppeteer-cluster";
import { startRaw } from "./raw.ts";
import { QUALITY, SANDBOX_ARGUMENTS, VIEWPORT, type RenderJob } from "./way.ts";

/** A way of rendering, in the measured process. */
export interface RenderingProgram {
  readonly render: (job: RenderJob) => Promise<Uint8Array>;
  readonly close: () => Promise<unknown>;
}

/** No scenario runs more renders at once. */
const CLUSTER_CONTEXTS = 64;

export const PROGRAMS = {
  /** Only the protocol calls that a render needs, with a fresh context per render. */
  raw: (browserPath) => startRaw(browserPath, { fast: false }),
  /** Like the service, uses the fast encoder and responds before it closes the context. */
  "raw-fast": (browserPath) => startRaw(browserPath, { fast: true }),

  async puppeteer(browserPath) {
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
  },

  "launch-per-request": (browserPath) =>
    Promise.resolve({
      async render(job) {
        const browser = await puppeteer.launch(launchOptions(browserPath));
        try {
          return await renderPage(await browser.newPage(), job);
        } finally {
          await browser.close();
        }
      },
      close: () => Promise.resolve(),
    }),

  async cluster(browserPath) {
    const cluster: Cluster<RenderJob, Uint8Array> = await Cluster.launch({
      concurrency: Cluster.CONCURRENCY_CONTEXT,
      maxConcurrency: CLUSTER_CONTEXTS,
      puppeteerOptions: launchOptions(browserPath),
    });
    await cluster.task(({ page, data }) => renderPage(page, data));
    return { render: (job) => cluster.execute(job), close: () => cluster.close() };
  },
} satisfies Record<string, (browserPath: string) => Promise<RenderingProgram>>;

export type WayName = keyof typeof PROGRAMS;

function launchOptions(browserPath: string): LaunchOptions {
  return { executablePath: browserPath, headless: "shell", pipe: true, args: [...SANDBOX_ARGUMENTS] };
}

/** A typical render with Puppeteer. */
async function renderPage(page: Page, { url, format, waitUntil }: RenderJob): Promise<Uint8Array> {
  await page.setViewport(VIEWPORT);
  await page.goto(url, { waitUntil: waitUntil === "default" ? "networkidle2" : waitUntil });
  if (format === "pdf") return page.pdf({ printBackground: true });
  return page.screenshot({ type: format, ...(format !== "png" && { quality: QUALITY }) });
}
