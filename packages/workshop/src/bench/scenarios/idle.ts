import { setTimeout as sleep } from "node:timers/promises";
import { compare, timed } from "../compare.ts";
import { newJob } from "../jobs.ts";
import { rounded } from "../report/table.ts";
import type { Scenario } from "../scenario.ts";
import { startServerWay } from "../service.ts";
import { startWay } from "../ways/start-way.ts";
import type { Way } from "../ways/way.ts";

/** Idleness is what is measured: time to make a context ready, for those who do. */
const REST_MS = 300;

export const idle: Scenario = {
  name: "idle",
  title: "One render on an idle server",
  about: `The page of 60 cards as PNG, one render at a time with a rest of ${REST_MS} ms before each.`,
  async run(bench) {
    const ways = await Promise.all(["raw", "raw-fast"].map((name) => startWay(name, bench)));
    const server = await startServerWay(bench);
    const [raw, rawFast] = ways as [Way, Way];
    const pairs = bench.quick ? 3 : 20;
    const rested = (way: Way) => async (): Promise<number> => {
      await sleep(REST_MS);
      return timed(() => way.render(newJob(bench.siteOrigin)))();
    };
    const overRaw = await compare(rested(server), rested(raw), pairs);
    const overFast = await compare(rested(server), rested(rawFast), pairs);
    await Promise.all([server, ...ways].map((way) => way.stop()));
    const figure = (against: string, value: number) => ({
      name: `latency of one render on an idle server over ${against}`,
      value,
      target: { atMost: 0.75 },
    });
    return {
      figures: [
        figure("raw protocol calls", overRaw.timeRatio),
        figure("raw calls that encode for speed and close behind the answer", overFast.timeRatio),
      ],
      tables: [
        {
          columns: ["beside", "its median ms", "the whole server's over HTTP"],
          rows: [
            ["raw protocol calls", rounded(overRaw.theirsMs), rounded(overRaw.oursMs)],
            [
              "raw calls, fast PNGs, closed behind the answer",
              rounded(overFast.theirsMs),
              rounded(overFast.oursMs),
            ],
          ],
        },
      ],
    };
  },
};
