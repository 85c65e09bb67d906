import { steadySlots } from "@snap/engine/internals";
import { inParallel, median, percentile, timed } from "../measure.ts";
import { rounded } from "../report.ts";
import { atMost, type Scenario, type Table } from "../scenario.ts";
import { fetchExpecting, startService } from "../service.ts";
import { newJob } from "../ways/way.ts";

export const fairness: Scenario = {
  name: "fairness",
  title: "Fairness",
  about:
    "One account has many renders queued; another sends one request after the other meanwhile. How long it waits is its latency less what it has beside an account that keeps as many renders running and queues none, in units of the latter. What runs beyond the slots while processors are idle is part of that wait.",
  async run(bench) {
    const { bearers, snapUrl, stop } = await startService(bench, { accounts: 2 });
    const render = (bearer: (typeof bearers)[number] | undefined) => (): Promise<unknown> =>
      fetchExpecting(200, snapUrl(newJob(bench.siteOrigin, "cards")), bearer);
    /** Latencies of one account, one render after the other, for as long as the other is at work. */
    const probeBeside = async (renders: number, atOnce: number): Promise<number[]> => {
      let left = renders;
      const load = inParallel(renders, atOnce, () => render(bearers[0])().then(() => (left -= 1)));
      const latenciesMs: number[] = [];
      // Beside the last of them it would be nearly alone.
      while (left > renders / 5) latenciesMs.push(await timed(render(bearers[1]))());
      await load;
      return latenciesMs;
    };
    const queued = bench.quick ? 20 : 100;
    const besideQueueMs: number[] = [];
    const besideNoneMs: number[] = [];
    for (let round = 0; round <= (bench.quick ? 1 : 2); round += 1) {
      bench.say(`beside ${queued} queued renders, round ${round}`);
      const beside = await probeBeside(queued, queued);
      // One account may use all slots but one.
      const alone = await probeBeside(queued / 2, steadySlots() - 1);
      // The first round only warms up.
      if (round === 0) continue;
      besideQueueMs.push(...beside);
      besideNoneMs.push(...alone);
    }
    await stop();
    const unit = median(besideNoneMs);
    const waits = besideQueueMs.map((latencyMs) => (latencyMs - unit) / unit);
    const row = (name: string, latenciesMs: readonly number[]): Table["rows"][number] => ({
      "the other account": name,
      "renders of the one": String(latenciesMs.length),
      "median ms": rounded(median(latenciesMs)),
      "p95 ms": rounded(percentile(latenciesMs, 0.95)),
    });
    const name = `wait beside ${queued} queued renders of another, in renders`;
    return {
      figures: [atMost(1, name, median(waits))],
      tables: [
        {
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
