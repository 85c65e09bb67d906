import { steadySlots } from "@snap/engine/internals";
import { startDistance, type Distance } from "../distance/start-distance.ts";
import { maxRenders } from "../../../../engine/src/schedule/render-slots.ts";
import { newJob } from "../jobs.ts";
import { measureInTurns, wayCells, WAY_COLUMNS, type WayResult } from "../measure-ways.ts";
import { comeToRest } from "../meter.ts";
import { memoryBytes, readTree } from "../process-tree.ts";
import { costTable, sizingTable, type PageCost } from "../report/sizing.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { startServerWay } from "../service.ts";
import { median } from "../statistics.ts";
import type { RenderJob, Way } from "../ways/way.ts";

const ACCOUNTS = 8;
/** All slots and none more, so that every request in flight has a page. */
const IN_FLIGHT = steadySlots();

interface Kind {
  readonly name: string;
  readonly job: (bench: Bench, distant: Distance) => RenderJob;
}

const local = (name: string, ...[page, how]: [Parameters<typeof newJob>[1], Partial<RenderJob>?]): Kind => ({
  name,
  job: ({ siteOrigin }) => newJob(siteOrigin, page, { waitUntil: "default", ...how }),
});

const KINDS: readonly Kind[] = [
  local("small page", "small"),
  local("60 cards", "cards"),
  local("long article", "article"),
  local("long article, PDF", "article", { format: "pdf" }),
  {
    name: "40 resources over HTTPS, 30 ms",
    job: (_, { originAt }) => newJob(originAt(30), "distant", { waitUntil: "default" }),
  },
  local("200 images", "heavy"),
];

export const sizing: Scenario = {
  name: "sizing",
  title: "Cost and sizing",
  about: `What a render of each kind of page costs the whole server: PNG unless it says PDF, the default wait, ${IN_FLIGHT} in flight. Memory per page in flight is what the process tree holds then, less what it holds at rest, over ${IN_FLIGHT}. From that, renders per hour on a machine of so many cores: as many as its processors allow, or as the bound on renders at once (\`SNAP_RENDER_CONCURRENCY\`, with memory enough for its default) where that is less. Pages in flight are those that such a rate keeps open, and no fewer than the slots.`,
  onlyFull: true,
  async run(bench) {
    const distant = await startDistance(bench);
    const way = await startServerWay(distant.bench, { accounts: ACCOUNTS, concurrency: IN_FLIGHT });
    try {
      await measureKind(way, { inFlight: IN_FLIGHT, rounds: 1 }, () => newJob(bench.siteOrigin));
      await comeToRest(way.pid);
      const restBytes = memoryBytes(readTree(way.pid));
      const rows: string[][] = [];
      const costs: PageCost[] = [];
      for (const { name, job } of KINDS) {
        bench.say(name);
        const newOne = (): RenderJob => job(bench, distant);
        const alone = await measureKind(way, { inFlight: 1, rounds: 1 }, newOne);
        const result = await measureKind(way, { inFlight: IN_FLIGHT, rounds: 2 }, newOne);
        rows.push([name, ...wayCells(result).slice(1)]);
        costs.push({
          kind: name,
          cpuSeconds: median(result.cpuSecondsEach),
          aloneSeconds: median(alone.latenciesMs) / 1000,
          bytesInFlight: (median(result.medianBytes) - restBytes) / IN_FLIGHT,
        });
      }
      return {
        figures: [],
        tables: [
          costTable(costs),
          sizingTable({
            restBytes,
            costs,
            slotsOn: steadySlots,
            maxInFlightOn: (cores) => maxRenders(Infinity, cores),
          }),
          { title: "As measured", columns: ["page", ...WAY_COLUMNS.slice(1)], rows },
        ],
      };
    } finally {
      await way.stop();
      await distant.stop();
    }
  },
};

async function measureKind(
  way: Way,
  { inFlight, rounds }: { readonly inFlight: number; readonly rounds: number },
  job: () => RenderJob,
): Promise<WayResult> {
  const [result] = await measureInTurns([way], {
    job,
    atOnce: inFlight,
    rendersPerRound: 2 * inFlight,
    rounds,
  });
  if (result === undefined) throw new Error("the server was not measured");
  return result;
}
