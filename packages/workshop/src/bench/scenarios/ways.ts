import { newJob } from "../jobs.ts";
import { failuresOf, measureInTurns, speedRatio, startWays, wayCells, WAY_COLUMNS } from "../measure-ways.ts";
import { rounded } from "../report/table.ts";
import type { Scenario } from "../scenario.ts";

const NAMES = ["raw", "raw-fast", "launch-per-request", "cluster", "engine", "server"] as const;

export const ways: Scenario = {
  name: "ways",
  title: "Ways of rendering",
  about:
    "The page of 60 cards as PNG, four at once, until `load`. What can't be told not to wait for a quiet network is in the table of the default request.",
  async run(bench) {
    // A browser per request takes as long as all others together.
    const names = bench.quick ? NAMES.filter((name) => name !== "launch-per-request") : NAMES;
    const started = await startWays(bench, names, () => newJob(bench.siteOrigin));
    const results = await measureInTurns(started.ways, {
      job: () => newJob(bench.siteOrigin),
      atOnce: 4,
      rendersPerRound: bench.quick ? 6 : 16,
      rounds: bench.quick ? 1 : 4,
    });
    await started.stop();
    const figure = (against: string, theirs: string, atLeast: number) => ({
      name: `renders/s of the whole server over ${against}`,
      value: speedRatio(results, "server", theirs),
      target: { atLeast },
    });
    return {
      figures: [
        figure("raw protocol calls", "raw", 1),
        figure("raw protocol calls that encode for speed, too", "raw-fast", 1),
        figure("puppeteer-cluster", "cluster", 1.2),
        figure("a browser per request", "launch-per-request", 2.5),
      ],
      tables: [
        {
          columns: [...WAY_COLUMNS, "server over it"],
          rows: results.map((result) =>
            wayCells(result).concat(rounded(speedRatio(results, "server", result.name))),
          ),
        },
      ],
      remarks: [...started.remarks, ...failuresOf(results)],
    };
  },
};
