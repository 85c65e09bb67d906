import { inParallel } from "../measure.ts";
import { countBrowserProcesses, memoryAtRest, readTree } from "../processes.ts";
import { megabytes } from "../report.ts";
import { atMost, type Figure, type Scenario } from "../scenario.ts";
import { fetchExpecting, startService } from "../service.ts";
import { newJob, type RenderJob } from "../ways/way.ts";

/** Ten renders, over and over: mostly light pages, one heavy, in every format. */
const MIX: readonly (readonly [page: string, format: RenderJob["format"]])[] = [
  ["small", "png"],
  ["cards", "png"],
  ["article", "pdf"],
  ["small", "webp"],
  ["cards", "png"],
  ["small", "png"],
  ["article", "png"],
  ["cards", "jpeg"],
  ["small", "png"],
  ["heavy", "png"],
];
const AT_ONCE = 4;

interface Rest {
  readonly renders: number;
  readonly bytes: number;
  readonly processes: number;
}

export const soak: Scenario = {
  name: "soak",
  title: "Soak",
  about:
    "Renders of mixed pages in all formats, four at once, every one of which must succeed; memory and processes between them, when the service is at rest. Its memory holds up to 64 MiB of renderings, which a few hundred fill.",
  onlyFull: true,
  async run(bench) {
    const others = countBrowserProcesses();
    const service = await startService(bench);
    const rests: Rest[] = [];
    let done = 0;
    for (const renders of bench.quick ? [12, 24, 36] : [100, 300, 500, 750, 1000]) {
      const before = done;
      await inParallel(renders - before, AT_ONCE, async (index) => {
        const [page, format] = MIX[(before + index) % MIX.length] ?? ["small", "png"];
        const url = service.snapUrl(newJob(bench.siteOrigin, page, { format }));
        await fetchExpecting(200, url, service.bearers[0]);
        done += 1;
      });
      const bytes = await memoryAtRest(service.pid);
      rests.push({ renders, bytes, processes: readTree(service.pid).length });
      bench.say(`${done} renders`);
    }
    await service.stop();
    const leftBehind = countBrowserProcesses() - others;
    const [first, middle, last] = [rests[0], rests[rests.length >> 1], rests.at(-1)] as [Rest, Rest, Rest];
    const growth = (later: Rest, earlier: Rest): Figure =>
      atMost(
        1.05,
        `memory after ${later.renders} renders over after ${earlier.renders}`,
        later.bytes / earlier.bytes,
      );
    return {
      figures: [
        growth(middle, first),
        growth(last, middle),
        atMost(0, "processes more at the end than after the first of them", last.processes - first.processes),
        atMost(0, "processes of a browser left behind when the service has stopped", leftBehind),
      ],
      tables: [
        {
          rows: rests.map(({ renders, bytes, processes }) => ({
            renders: String(renders),
            "memory MB": megabytes(bytes),
            processes: String(processes),
          })),
        },
      ],
    };
  },
};
