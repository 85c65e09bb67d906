import { median } from "../measure.ts";
import { measureIdleMemory } from "../processes.ts";
import { formatMegabytes, formatNumber } from "../report.ts";
import { atMost, type Bench, type Scenario } from "../scenario.ts";
import { fetchExpecting, startService } from "../service.ts";
import { newJob } from "../ways/way.ts";

const RENDERS_BEFORE_IDLE = 10;

export const start: Scenario = {
  name: "start",
  title: "Startup and idle memory",
  about: `Time from starting \`snap-server serve\`, on a data folder with an account, to the first rendering of the small page; each start begins after the previous service has stopped. Then the memory of the whole idle process tree, with prepared tabs, after the first render and after ${RENDERS_BEFORE_IDLE} more.`,
  async run(bench) {
    const starts: Start[] = [];
    for (let round = 0; round < (bench.quick ? 1 : 3); round += 1) starts.push(await measureStart(bench));
    const medianOf = (key: keyof Start): number => median(starts.map((each) => each[key]));
    const [firstRenderMs, idleBytes] = [medianOf("firstRenderMs"), medianOf("idleBytes")];
    return {
      figures: [
        atMost(1.5, "cold start to the first response to a default request, s", firstRenderMs / 1000),
        atMost(350, "memory of the whole idle process tree, MB", idleBytes / 1e6),
      ],
      tables: [
        [
          {
            "ms to listening": formatNumber(medianOf("listeningMs")),
            "ms to the first response": formatNumber(firstRenderMs),
            "idle MB after the first render": formatMegabytes(medianOf("firstIdleBytes")),
            [`idle MB after ${RENDERS_BEFORE_IDLE} more`]: formatMegabytes(idleBytes),
          },
        ],
      ],
    };
  },
};

interface Start {
  readonly listeningMs: number;
  readonly firstRenderMs: number;
  readonly firstIdleBytes: number;
  readonly idleBytes: number;
}

async function measureStart(bench: Bench): Promise<Start> {
  const service = await startService(bench);
  const render = (waitUntil: "default" | "load"): Promise<unknown> => {
    const url = service.snapUrl(newJob(bench.siteOrigin, "small", { waitUntil }));
    return fetchExpecting(200, url, service.bearerHeaders[0]);
  };
  await render("default");
  const firstRenderMs = performance.now() - service.startedAtMs;
  const firstIdleBytes = await measureIdleMemory(service.pid);
  for (let left = RENDERS_BEFORE_IDLE; left > 0; left -= 1) await render("load");
  const idleBytes = await measureIdleMemory(service.pid);
  await service.stop();
  return {
    listeningMs: service.listeningAtMs - service.startedAtMs,
    firstRenderMs,
    firstIdleBytes,
    idleBytes,
  };
}
