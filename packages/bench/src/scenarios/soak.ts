import { runInParallel } from "../measure.ts";
import { countBrowserProcesses, measureIdleMemory, readTree } from "../processes.ts";
import { formatMegabytes } from "../report.ts";
import { atMost, type Figure, type Scenario } from "../scenario.ts";
import { fetchExpecting, startService } from "../service.ts";
import { newJob, type RenderJob } from "../ways/way.ts";

/** Ten renders that repeat: mostly light pages, one heavy one, in all formats except AVIF. */
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
const CONCURRENCY = 4;

interface IdleSample {
  readonly renders: number;
  readonly bytes: number;
  readonly processes: number;
}

export const soak: Scenario = {
  name: "soak",
  title: "Soak",
  about:
    "Renders of mixed pages as PNG, JPEG, WebP and PDF, four at a time, all of which must succeed. Memory and processes are measured between groups of renders, while the service is idle. Its memory cache holds up to 64 MiB, which a few hundred renderings fill.",
  fullRunOnly: true,
  async run(bench) {
    const before = countBrowserProcesses();
    const service = await startService(bench);
    const samples: IdleSample[] = [];
    let finishedRenders = 0;
    for (const renders of bench.quick ? [12, 24, 36] : [100, 300, 500, 750, 1000]) {
      const offset = finishedRenders;
      await runInParallel(renders - offset, CONCURRENCY, async (index) => {
        const [page, format] = MIX[(offset + index) % MIX.length] ?? ["small", "png"];
        const url = service.snapUrl(newJob(bench.siteOrigin, page, { format }));
        await fetchExpecting(200, url, service.bearerHeaders[0]);
        finishedRenders += 1;
      });
      const bytes = await measureIdleMemory(service.pid);
      samples.push({ renders, bytes, processes: readTree(service.pid).length });
      bench.log(`${finishedRenders} renders`);
    }
    await service.stop();
    const leftBehind = countBrowserProcesses() - before;
    const [first, middle, last] = [samples[0], samples[samples.length >> 1], samples.at(-1)] as [
      IdleSample,
      IdleSample,
      IdleSample,
    ];
    const growth = (later: IdleSample, earlier: IdleSample): Figure =>
      atMost(
        1.05,
        `memory after ${later.renders} renders relative to memory after ${earlier.renders}`,
        later.bytes / earlier.bytes,
      );
    return {
      figures: [
        growth(middle, first),
        growth(last, middle),
        atMost(0, "additional processes at the end", last.processes - first.processes),
        atMost(0, "browser processes left after the service stopped", leftBehind),
      ],
      tables: [
        samples.map(({ renders, bytes, processes }) => ({
          renders: String(renders),
          "memory MB": formatMegabytes(bytes),
          processes: String(processes),
        })),
      ],
    };
  },
};
