import { Cluster } from "puppeteer-cluster";
import { renderPage } from "./puppeteer-page.ts";
import { SANDBOX_ARGUMENTS, type RenderJob, type StartProgram } from "./way.ts";

/** As many as are ever asked for at once. */
const CONTEXTS = 8;

/** puppeteer-cluster: one browser, a context and a page for each render. */
export const startCluster: StartProgram = async ({ browserPath }) => {
  const cluster: Cluster<RenderJob, Uint8Array> = await Cluster.launch({
    concurrency: Cluster.CONCURRENCY_CONTEXT,
    maxConcurrency: CONTEXTS,
    puppeteerOptions: {
      executablePath: browserPath,
      headless: "shell",
      pipe: true,
      args: [...SANDBOX_ARGUMENTS],
    },
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
