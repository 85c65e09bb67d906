import { Cluster } from "puppeteer-cluster";
import { launchOptions, renderPage } from "./puppeteer-page.ts";
import type { RenderJob, StartProgram } from "./way.ts";

/** As many as any scenario has in flight. */
const CONTEXTS = 64;

/** puppeteer-cluster: one browser, a context and a page for each render. */
export const startCluster: StartProgram = async ({ browserPath }) => {
  const cluster: Cluster<RenderJob, Uint8Array> = await Cluster.launch({
    concurrency: Cluster.CONCURRENCY_CONTEXT,
    maxConcurrency: CONTEXTS,
    puppeteerOptions: launchOptions(browserPath),
  });
  await cluster.task(({ page, data }) => renderPage(page, data));
  return {
    render: (job) => cluster.execute(job),
    async close() {
      await cluster.idle();
      await cluster.close();
    },
  };
};
