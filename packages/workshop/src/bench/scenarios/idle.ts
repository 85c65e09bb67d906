import { setTimeout as sleep } from "node:timers/promises";
import { compare, timed } from "../compare.ts";
import { newJob } from "../jobs.ts";
import { rounded } from "../report/table.ts";
import type { Scenario } from "../scenario.ts";
import { startService } from "../service.ts";
import { fetchExpecting } from "../fetch-expecting.ts";
import { startWay } from "../ways/start-way.ts";

/** Idleness is what is measured: time to make a context ready, for those who do. */
const REST_MS = 300;

export const idle: Scenario = {
  name: "idle",
  title: "One render on an idle server",
  about: `The page of 60 cards as PNG, one render at a time with a rest of ${REST_MS} ms before each.`,
  async run(bench) {
    const raw = await startWay("raw", bench);
    const service = await startService(bench);
    const rested = (render: () => Promise<unknown>) => async (): Promise<number> => {
      await sleep(REST_MS);
      return timed(render)();
    };
    const { oursMs, theirsMs, timeRatio } = await compare(
      rested(() => fetchExpecting(200, service.snapUrl(newJob(bench.siteOrigin)), service.bearers[0])),
      rested(() => raw.render(newJob(bench.siteOrigin))),
      bench.quick ? 6 : 40,
    );
    await Promise.all([raw.stop(), service.stop()]);
    return {
      figures: [
        {
          name: "latency of one render on an idle server over raw protocol calls",
          value: timeRatio,
          target: { atMost: 0.75 },
        },
      ],
      tables: [
        {
          columns: ["way", "median ms"],
          rows: [
            ["raw protocol calls", rounded(theirsMs)],
            ["snap: whole server over HTTP", rounded(oursMs)],
          ],
        },
      ],
    };
  },
};
