import { steadySlots } from "@snap/engine/internals";
import { fetchExpecting } from "../fetch-expecting.ts";
import { inParallel, timed } from "../compare.ts";
import { newJob } from "../jobs.ts";
import { rounded } from "../report/table.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { startService, type BenchedService } from "../service.ts";
import { median, percentile } from "../statistics.ts";

export const fairness: Scenario = {
  name: "fairness",
  title: "Fairness",
  about:
    "One account has many renders queued; another asks for one after the other meanwhile. How long it waits is its latency less what it has beside an account that keeps as many renders running and queues none, in units of the latter. What runs beyond the slots while processors are idle is part of that wait.",
  async run(bench) {
    const service = await startService(bench, { accounts: 2 });
    const queued = bench.quick ? 20 : 100;
    const repeats = bench.quick ? 1 : 2;
    const besideQueueMs: number[] = [];
    const besideNoneMs: number[] = [];
    for (let repeat = 0; repeat <= repeats; repeat += 1) {
      bench.say(
        `beside ${queued} queued renders, ${repeat === 0 ? "warming up" : `${repeat} of ${repeats}`}`,
      );
      const beside = await probeBeside(bench, service, { renders: queued, atOnce: queued });
      // One account may use all slots but one.
      const alone = await probeBeside(bench, service, { renders: queued / 2, atOnce: steadySlots() - 1 });
      if (repeat === 0) continue;
      besideQueueMs.push(...beside);
      besideNoneMs.push(...alone);
    }
    await service.stop();
    const unit = median(besideNoneMs);
    const waits = besideQueueMs.map((latencyMs) => (latencyMs - unit) / unit);
    const row = (name: string, latenciesMs: readonly number[]): string[] => [
      name,
      String(latenciesMs.length),
      rounded(median(latenciesMs)),
      rounded(percentile(latenciesMs, 0.95)),
    ];
    return {
      figures: [
        {
          name: `wait beside ${queued} queued renders of another, in renders`,
          value: median(waits),
          target: { atMost: 1 },
        },
      ],
      tables: [
        {
          columns: ["the other account", "renders of the one", "median ms", "p95 ms"],
          rows: [
            row(`has ${queued} renders queued`, besideQueueMs),
            row("fills its slots and queues none", besideNoneMs),
          ],
        },
      ],
      remarks: [`The longest that one waited was ${rounded(Math.max(...waits))} renders.`],
    };
  },
};

/** Latencies of one account, one render after the other, for as long as the other is at work. */
async function probeBeside(
  bench: Bench,
  { bearers: [busy, other], snapUrl }: BenchedService,
  { renders, atOnce }: { readonly renders: number; readonly atOnce: number },
): Promise<number[]> {
  const render = (bearer: typeof busy) => () =>
    fetchExpecting(200, snapUrl(newJob(bench.siteOrigin)), bearer);
  let left = renders;
  const load = inParallel(renders, atOnce, async () => {
    await render(busy)();
    left -= 1;
  });
  const latenciesMs: number[] = [];
  // Beside the last of them it would be nearly alone.
  while (left > renders / 5) latenciesMs.push(await timed(render(other))());
  await load;
  return latenciesMs;
}
