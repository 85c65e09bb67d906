import type { RenderBatch } from "@snap/client";
import { compare, timed } from "../measure.ts";
import { formatNumber } from "../report.ts";
import { atMost, type Scenario } from "../scenario.ts";
import { fetchExpecting, startService } from "../service.ts";
import { newJob, type RenderJob } from "../ways/way.ts";

const CAPTURES = 20;

export const batch: Scenario = {
  name: "batch",
  title: "A batch",
  about: `${CAPTURES} captures of the page of 60 cards, as one batch and as concurrent requests.`,
  async run(bench) {
    const pairs = bench.quick ? 1 : 6;
    // An account can submit only ten batches a minute, so each round uses a different one.
    const service = await startService(bench, { accounts: 2 * (pairs + 1) });
    let rounds = 0;
    const newJobs = (): RenderJob[] =>
      Array.from({ length: CAPTURES }, () => newJob(bench.siteOrigin, "cards"));
    const { measuredMs, baselineMs, timeRatio } = await compare(
      async () => {
        const items = newJobs().map(({ url }) => ({ url, waitUntil: "load" as const }));
        const submittedAtMs = Date.now();
        return finishedAtMs(await service.renderBatch(rounds++, items)) - submittedAtMs;
      },
      timed(() => {
        const bearer = service.bearerHeaders[rounds++];
        return Promise.all(newJobs().map((job) => fetchExpecting(200, service.snapUrl(job), bearer)));
      }),
      pairs,
    );
    await service.stop();
    const name = `a batch of ${CAPTURES} relative to ${CAPTURES} concurrent requests`;
    return {
      figures: [atMost(1.1, name, timeRatio)],
      tables: [
        [
          { way: `a batch of ${CAPTURES}`, "median ms": formatNumber(measuredMs) },
          { way: `${CAPTURES} concurrent requests`, "median ms": formatNumber(baselineMs) },
        ],
      ],
    };
  },
};

/**
 * Returns the time at which the service finished the last item, in epoch milliseconds.
 * Its clock is this machine's. Polls frequent enough to measure the time would slow the renders.
 *
 * @throws Error if an item failed or was a cache hit.
 */
function finishedAtMs({ finished_at, items }: RenderBatch): number {
  const unrendered = items.find(({ credit_cost }) => credit_cost === 0);
  if (unrendered !== undefined) throw new Error(`not rendered: ${JSON.stringify(unrendered)}`);
  return Date.parse(finished_at ?? "");
}
