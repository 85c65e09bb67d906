import { median } from "../measure.ts";
import { memoryAtRest } from "../processes.ts";
import { megabytes, rounded } from "../report.ts";
import { atMost, type Bench, type Scenario } from "../scenario.ts";
import { fetchExpecting, startService } from "../service.ts";
import { newJob } from "../ways/way.ts";

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
