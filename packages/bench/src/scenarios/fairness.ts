import { slotsForCores } from "@snap/engine/internals";
import { runInParallel, median, percentile, timed } from "../measure.ts";
import { formatNumber } from "../report.ts";
import { atMost, type Row, type Scenario } from "../scenario.ts";
import { fetchExpecting, startService } from "../service.ts";
import { newJob } from "../ways/way.ts";

export const fairness: Scenario = {
  name: "fairness",
  title: "Fairness",
  about:
    "One account has many renders queued while another sends requests one by one. The second account's wait is its latency minus its latency alongside an account that fills its slots and queues nothing, in units of the latter. The wait includes the delay caused by the first account's extra renders, which start on idle cores.",
  async run(bench) {
    const { bearerHeaders, snapUrl, stop } = await startService(bench, { accounts: 2 });
    const render = (bearer: (typeof bearerHeaders)[number] | undefined) => (): Promise<unknown> =>
      fetchExpecting(200, snapUrl(newJob(bench.siteOrigin, "cards")), bearer);
    /** Latencies of one account's sequential renders while the other account's renders are running. */
    const probeDuring = async (renders: number, concurrency: number): Promise<number[]> => {
      let left = renders;
      const load = (): Promise<void> =>
        runInParallel(renders, concurrency, () => render(bearerHeaders[0])().then(() => (left -= 1)));
      const latenciesMs: number[] = [];
      const probe = async (): Promise<void> => {
        // Stops before the last renders, which leave most slots free.
        while (left > renders / 5) latenciesMs.push(await timed(render(bearerHeaders[1]))());
      };
      await Promise.all([load(), probe()]);
      return latenciesMs;
    };
    const queuedRenders = bench.quick ? 20 : 100;
    const withQueueMs: number[] = [];
    const withoutQueueMs: number[] = [];
    for (let round = 0; round <= (bench.quick ? 1 : 2); round += 1) {
      bench.log(`${queuedRenders} queued renders, round ${round}`);
      const withQueue = await probeDuring(queuedRenders, queuedRenders);
      // One account can use all slots but one.
      const withoutQueue = await probeDuring(queuedRenders / 2, slotsForCores() - 1);
      // The first round is a warm-up.
      if (round === 0) continue;
      withQueueMs.push(...withQueue);
      withoutQueueMs.push(...withoutQueue);
    }
    await stop();
    const unit = median(withoutQueueMs);
    const waits = withQueueMs.map((latencyMs) => (latencyMs - unit) / unit);
    const row = (name: string, latenciesMs: readonly number[]): Row => ({
      "the other account": name,
      renders: String(latenciesMs.length),
      "median ms": formatNumber(median(latenciesMs)),
      "p95 ms": formatNumber(percentile(latenciesMs, 0.95)),
    });
    const name = `wait alongside ${queuedRenders} queued renders of another account, in renders`;
    return {
      figures: [atMost(1, name, median(waits))],
      tables: [
        [
          row(`has ${queuedRenders} renders queued`, withQueueMs),
          row("fills its slots and queues none", withoutQueueMs),
        ],
      ],
      remarks: [`The longest wait was ${formatNumber(Math.max(...waits))} renders.`],
    };
  },
};
