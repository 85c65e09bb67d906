import { setTimeout as sleep } from "node:timers/promises";
import { inParallel } from "../compare.ts";
import { fetchExpecting } from "../fetch-expecting.ts";
import { newJob } from "../jobs.ts";
import { countBrowserProcesses, memoryBytes, readTree } from "../process-tree.ts";
import { megabytes, type Table } from "../report/table.ts";
import type { Scenario } from "../scenario.ts";
import { startService } from "../service.ts";
import type { PageName } from "../site/pages.ts";
import { median } from "../statistics.ts";
import type { RenderJob } from "../ways/way.ts";

/** Ten renders, over and over: mostly light pages, one heavy, in every format. */
const MIX: readonly { readonly page: PageName; readonly format?: RenderJob["format"] }[] = [
  { page: "small" },
  { page: "cards" },
  { page: "article", format: "pdf" },
  { page: "small", format: "webp" },
  { page: "cards" },
  { page: "small" },
  { page: "article" },
  { page: "cards", format: "jpeg" },
  { page: "small" },
  { page: "heavy" },
];
const AT_ONCE = 4;
const LOOKS = 5;
const LOOK_INTERVAL_MS = 400;

export const soak: Scenario = {
  name: "soak",
  title: "Soak",
  about:
    "Renders of mixed pages in all formats, four at once, every one of which must be answered; memory and processes between them, when the service is at rest. Its memory holds up to 64 MiB of renderings, which a few hundred fill.",
  onlyFull: true,
  async run(bench) {
    const others = countBrowserProcesses();
    const service = await startService(bench);
    const stops = bench.quick ? [12, 24, 36] : [100, 300, 500, 750, 1000];
    const rows: { readonly renders: number; readonly bytes: number; readonly processes: number }[] = [];
    let done = 0;
    for (const renders of stops) {
      const before = done;
      await inParallel(renders - before, AT_ONCE, async (index) => {
        const { page, ...how } = MIX[(before + index) % MIX.length] ?? { page: "small" };
        await fetchExpecting(200, service.snapUrl(newJob(bench.siteOrigin, page, how)), service.bearers[0]);
        done += 1;
      });
      rows.push({ renders, ...(await lookAtRest(service.pid)) });
      bench.say(`${done} renders answered`);
    }
    await service.stop();
    const leftBehind = countBrowserProcesses() - others;
    const [first, middle, last] = [rows.at(0), rows.at(rows.length >> 1), rows.at(-1)];
    const growth = (later: typeof first, earlier: typeof first) => ({
      name: `memory after ${later?.renders} renders over after ${earlier?.renders}`,
      value: (later?.bytes ?? Number.NaN) / (earlier?.bytes ?? Number.NaN),
      target: { atMost: 1.05 },
    });
    const table: Table = {
      columns: ["renders", "memory MB", "processes"],
      rows: rows.map(({ renders, bytes, processes }) => [
        String(renders),
        megabytes(bytes),
        String(processes),
      ]),
    };
    return {
      figures: [
        growth(middle, first),
        growth(last, middle),
        {
          name: "processes more at the end than after the first of them",
          value: (last?.processes ?? Number.NaN) - (first?.processes ?? Number.NaN),
          target: { atMost: 0 },
        },
        {
          name: "processes of a browser left behind when the service has stopped",
          value: leftBehind,
          target: { atMost: 0 },
        },
      ],
      tables: [table],
    };
  },
};

/** The medians of a few looks: what has just ended takes a moment to go. */
async function lookAtRest(pid: number): Promise<{ bytes: number; processes: number }> {
  const bytes: number[] = [];
  const processes: number[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    await sleep(LOOK_INTERVAL_MS);
    const tree = readTree(pid);
    bytes.push(memoryBytes(tree));
    processes.push(tree.length);
  }
  return { bytes: median(bytes), processes: median(processes) };
}
