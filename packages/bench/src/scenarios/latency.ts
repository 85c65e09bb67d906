import { setTimeout as sleep } from "node:timers/promises";
import { compare, median, timed } from "../measure.ts";
import { comeToRest, memoryBytes } from "../processes.ts";
import { megabytes, rounded } from "../report.ts";
import { atMost, type Bench, type Figure, type Scenario, type Table } from "../scenario.ts";
import { fetchExpecting, startServerWay, startService } from "../service.ts";
import { newJob, startWay, type Way } from "../ways/way.ts";

/** Idleness is what is measured: time to make a context ready, for those who do. */
const IDLE_MS = 300;

export const idle: Scenario = {
  name: "idle",
  title: "One render on an idle server",
  about: `The page of 60 cards as PNG, one render at a time with a rest of ${IDLE_MS} ms before each.`,
  async run(bench) {
    const server = await startServerWay(bench);
    const rested = (way: Way) => async (): Promise<number> => {
      await sleep(IDLE_MS);
      return timed(() => way.render(newJob(bench.siteOrigin, "cards")))();
    };
    const figures: Figure[] = [];
    const rows: Table["rows"][number][] = [];
    for (const [name, title] of [
      ["raw", "raw protocol calls"],
      ["raw-fast", "raw calls that encode for speed and close behind the response"],
    ] as const) {
      const way = await startWay(name, bench);
      const { oursMs, theirsMs, timeRatio } = await compare(
        rested(server),
        rested(way),
        bench.quick ? 3 : 20,
      );
      await way.stop();
      figures.push(atMost(0.75, `latency of one render on an idle server over ${title}`, timeRatio));
      rows.push({
        beside: title,
        "its median ms": rounded(theirsMs),
        "the whole server's over HTTP": rounded(oursMs),
      });
    }
    await server.stop();
    return { figures, tables: [{ rows }] };
  },
};

/** Time to make tabs ready again, and for caches to let go of what they hold only briefly. */
const REST_MS = 3000;
const MEMORY_LOOKS = 5;
const RENDERS_BEFORE_REST = 10;

export const start: Scenario = {
  name: "start",
  title: "Start and rest",
  about: `\`snap-server serve\` on a data folder that has an account, from the start of the process to the first response to a render of the small page; the next start begins when the last service has stopped. Then memory of the whole process tree at rest, tabs ready, after the first render and after ${RENDERS_BEFORE_REST} more.`,
  async run(bench) {
    const starts: Start[] = [];
    for (let round = 0; round < (bench.quick ? 1 : 3); round += 1) starts.push(await measureStart(bench));
    const medianOf = (key: keyof Start): number => median(starts.map((each) => each[key]));
    const [rendered, rest] = [medianOf("firstRenderMs"), medianOf("restBytes")];
    return {
      figures: [
        atMost(1.5, "cold start to the first answered default request, s", rendered / 1000),
        atMost(350, "memory of the whole tree at rest, MB", rest / 1e6),
      ],
      tables: [
        {
          rows: [
            {
              "listening after ms": rounded(medianOf("listeningMs")),
              "response after ms": rounded(rendered),
              "MB at rest after it": megabytes(medianOf("firstBytes")),
              [`MB at rest after ${RENDERS_BEFORE_REST} more`]: megabytes(rest),
            },
          ],
        },
      ],
    };
  },
};

interface Start {
  readonly listeningMs: number;
  readonly firstRenderMs: number;
  readonly firstBytes: number;
  readonly restBytes: number;
}

async function measureStart(bench: Bench): Promise<Start> {
  const service = await startService(bench);
  const render = (waitUntil: "default" | "load"): Promise<unknown> => {
    const url = service.snapUrl(newJob(bench.siteOrigin, "small", { waitUntil }));
    return fetchExpecting(200, url, service.bearers[0]);
  };
  await render("default");
  const firstRenderMs = performance.now() - service.startedAtMs;
  const firstBytes = await memoryAtRest(service.pid);
  for (let left = RENDERS_BEFORE_REST; left > 0; left -= 1) await render("load");
  const restBytes = await memoryAtRest(service.pid);
  await service.stop();
  return { listeningMs: service.listeningAtMs - service.startedAtMs, firstRenderMs, firstBytes, restBytes };
}

async function memoryAtRest(pid: number): Promise<number> {
  await sleep(REST_MS);
  await comeToRest(pid);
  const looks: number[] = [];
  for (let look = 0; look < MEMORY_LOOKS; look += 1) {
    looks.push(memoryBytes(pid));
    await sleep(100);
  }
  return median(looks);
}
