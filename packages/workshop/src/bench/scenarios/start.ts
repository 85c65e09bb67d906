import { setTimeout as sleep } from "node:timers/promises";
import { fetchExpecting } from "../fetch-expecting.ts";
import { newJob } from "../jobs.ts";
import { comeToRest } from "../meter.ts";
import { memoryBytes, readTree } from "../process-tree.ts";
import { megabytes, rounded } from "../report/table.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { startService } from "../service.ts";
import { median } from "../statistics.ts";
import type { RenderJob } from "../ways/way.ts";

/** Time to make tabs ready again, and for caches to let go of what they hold only briefly. */
const REST_MS = 3000;
const MEMORY_LOOKS = 5;
const RENDERS_BEFORE_REST = 10;

const WAITS = ["default", "load"] as const;
const QUICK_WAITS = ["default"] as const;
type Wait = RenderJob["waitUntil"];

interface Start {
  readonly listeningMs: number;
  readonly firstRenderMs: number;
}

export const start: Scenario = {
  name: "start",
  title: "Start and rest",
  about: `\`snap-server serve\` on a data folder that has an account, from the start of the process to the first answered render of the small page; the next start begins when the last service has stopped. Then memory of the whole process tree at rest, tabs ready, after the first render and after ${RENDERS_BEFORE_REST} more.`,
  async run(bench) {
    const starts = new Map<Wait, Start[]>(WAITS.map((wait) => [wait, []]));
    const rests: { readonly first: number; readonly later: number }[] = [];
    for (let round = 0; round < (bench.quick ? 1 : 3); round += 1)
      for (const wait of bench.quick ? QUICK_WAITS : WAITS) {
        bench.say(`wait ${wait}, start ${round + 1}`);
        const { figures, rest } = await measureStart(bench, wait);
        starts.get(wait)?.push(figures);
        if (rest !== null) rests.push(rest);
      }
    const medianOf = (wait: Wait, key: keyof Start): number =>
      median((starts.get(wait) ?? []).map((each) => each[key]));
    const restBytes = median(rests.map(({ later }) => later));
    return {
      figures: [
        {
          name: "cold start to the first answered default request, s",
          value: medianOf("default", "firstRenderMs") / 1000,
          target: { atMost: 1.5 },
        },
        { name: "memory of the whole tree at rest, MB", value: restBytes / 1e6, target: { atMost: 350 } },
      ],
      tables: [
        {
          columns: ["first request", "listening after ms", "answered after ms"],
          rows: WAITS.map((wait) => [
            wait === "default" ? "default wait" : `waitUntil=${wait}`,
            rounded(medianOf(wait, "listeningMs")),
            rounded(medianOf(wait, "firstRenderMs")),
          ]),
        },
        {
          columns: ["at rest", "memory MB"],
          rows: [
            ["after the first render", megabytes(median(rests.map(({ first }) => first)))],
            [`after ${RENDERS_BEFORE_REST} more`, megabytes(restBytes)],
          ],
        },
      ],
    };
  },
};

async function measureStart(
  bench: Bench,
  waitUntil: Wait,
): Promise<{ figures: Start; rest: { first: number; later: number } | null }> {
  const service = await startService(bench);
  const render = (wait: Wait): Promise<unknown> =>
    fetchExpecting(
      200,
      service.snapUrl(newJob(bench.siteOrigin, "small", { waitUntil: wait })),
      service.bearers[0],
    );
  await render(waitUntil);
  const figures = {
    listeningMs: service.listeningAtMs - service.startedAtMs,
    firstRenderMs: performance.now() - service.startedAtMs,
  };
  try {
    if (waitUntil !== "default") return { figures, rest: null };
    const first = await memoryAtRest(service.pid);
    for (let left = RENDERS_BEFORE_REST; left > 0; left -= 1) await render("load");
    return { figures, rest: { first, later: await memoryAtRest(service.pid) } };
  } finally {
    await service.stop();
  }
}

async function memoryAtRest(pid: number): Promise<number> {
  await sleep(REST_MS);
  await comeToRest(pid);
  const looks: number[] = [];
  for (let look = 0; look < MEMORY_LOOKS; look += 1) {
    looks.push(memoryBytes(readTree(pid)));
    await sleep(100);
  }
  return median(looks);
}
