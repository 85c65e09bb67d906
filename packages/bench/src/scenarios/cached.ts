import { openSqliteStorage } from "@snap/storage-sqlite";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sendLoad, type Load } from "../lean-load.ts";
import { runInRounds, median, medianRatio } from "../measure.ts";
import { cpuSeconds, startProgram } from "../processes.ts";
import { formatNumber } from "../report.ts";
import { atLeast, type Bench, type Scenario } from "../scenario.ts";
import {
  fetchExpecting,
  startService,
  type RequestHeaders,
  type ServiceOptions,
  type StartedService,
} from "../service.ts";
import { newJob, type RenderJob } from "../ways/way.ts";

const CONNECTIONS = 16;
/** Below the limit of 300 cached responses a minute per account, with room for the warm-up requests. */
const RESPONSES_PER_ACCOUNT = 250;

/** A server under load, and its results per round. */
interface Side {
  readonly title: string;
  readonly pid: number;
  readonly load: (round: number) => Pick<Load, "port" | "path" | "headers" | "status">;
  readonly perSecond: number[];
  readonly cpuMicrosecondsPerResponse: number[];
}

export const cached: Scenario = {
  name: "cached",
  title: "Responses from the cache",
  about: `A cached PNG of the long article, and a 304 for it, compared with a bare Express 5 handler that sends the same bytes with a known entity tag, or a 304. The second table compares a service that records a history with one that does not. A separate process sends prepared requests over ${CONNECTIONS} persistent connections.`,
  async run(bench) {
    const rounds = bench.quick ? 3 : 8;
    const accountsPerRound = bench.quick ? 6 : 20;
    const job = newJob(bench.siteOrigin, "article");
    const accounts = (rounds + 1) * accountsPerRound;
    const { service, body, etag } = await startWithRendering(bench, job, { accounts });
    // separate services, because the first one's accounts would reach their limits
    const startWith = (history: string): ReturnType<typeof startWithRendering> =>
      startWithRendering(bench, job, { accounts, env: { SNAP_HISTORY: history } });
    const [withHistory, withoutHistory] = [await startWith("7d"), await startWith("off")];
    const image = join(bench.scratch, "image.png");
    await writeFile(image, body);
    const bareServer = await startProgram(join(import.meta.dirname, "../site/bare-server.ts"), [image]);

    const { pathname, search } = new URL(service.snapUrl(job));
    const newServiceSide = (
      title: string,
      { pid, port, bearerHeaders: all }: StartedService,
      status: number,
      extraHeaders: RequestHeaders = {},
    ): Side =>
      newSide(title, pid, (round) => {
        const bearerHeaders = all.slice(round * accountsPerRound, (round + 1) * accountsPerRound);
        return {
          port,
          path: pathname + search,
          status,
          headers: bearerHeaders.map((bearer) => Object.assign({}, bearer, extraHeaders)),
        };
      });
    const newBareSide = (title: string, status: number, path: string): Side =>
      newSide(title, bareServer.pid, () => ({ port: Number(bareServer.line), path, status, headers: [{}] }));
    const size = `${Math.round(body.length / 1000)} kB`;
    const imageSides = [
      newBareSide(`bare Express 5, ${size}`, 200, "/image"),
      newServiceSide(`snap, ${size}`, service, 200),
    ];
    const historySides = [
      newServiceSide(`snap without history, ${size}`, withoutHistory.service, 200),
      newServiceSide(`snap with history, ${size}`, withHistory.service, 200),
    ];
    const notModifiedSides = [
      newBareSide("bare Express 5, 304", 304, "/not-modified"),
      newServiceSide("snap, 304", service, 304, { "if-none-match": etag }),
    ];
    const responses = accountsPerRound * RESPONSES_PER_ACCOUNT;
    for (const sides of [imageSides, historySides, notModifiedSides])
      await runInRounds(rounds + 1, sides, (side, round) => measure(side, round, responses));
    await Promise.all(
      [service, withHistory.service, withoutHistory.service, bareServer].map((program) => program.stop()),
    );
    return {
      figures: [
        atLeast(
          0.6,
          "cached responses/s relative to an Express 5 handler that sends a buffer with a known entity tag",
          ratioOf(imageSides),
        ),
        atLeast(0.98, "cached responses/s with history relative to without it", ratioOf(historySides)),
        atLeast(0.4, "304 responses/s relative to a bare Express 5 handler", ratioOf(notModifiedSides)),
      ],
      tables: [[imageSides, notModifiedSides].flatMap(rowsOf), rowsOf(historySides)],
    };
  },
};

/** Starts a service in which the rendering of this job is cached for every account. */
async function startWithRendering(
  bench: Bench,
  job: RenderJob,
  options: ServiceOptions,
): Promise<{ readonly service: StartedService; readonly body: Buffer; readonly etag: string }> {
  const service = await startService(bench, options);
  const { body, headers } = await fetchExpecting(200, service.snapUrl(job), service.bearerHeaders[0]);
  await copyToEveryAccount(service.dataDir);
  for (const bearer of service.bearerHeaders) await fetchExpecting(200, service.snapUrl(job), bearer);
  return { service, body, etag: headers.get("etag") ?? "" };
}

function newSide(title: string, pid: number, load: Side["load"]): Side {
  return { title, pid, load, perSecond: [], cpuMicrosecondsPerResponse: [] };
}

/** The first round is a warm-up. */
async function measure(side: Side, round: number, responses: number): Promise<void> {
  const before = cpuSeconds(side.pid);
  const wallMs = await sendLoad({ ...side.load(round), connections: CONNECTIONS, responses });
  const spentCpuSeconds = cpuSeconds(side.pid) - before;
  if (round === 0) return;
  side.perSecond.push((responses * 1000) / wallMs);
  side.cpuMicrosecondsPerResponse.push((spentCpuSeconds * 1e6) / responses);
}

/** Stores the only rendering for every account, with the code that the service uses. */
async function copyToEveryAccount(dataDir: string): Promise<void> {
  const database = new DatabaseSync(join(dataDir, "snap.db"), { readOnly: true });
  const select = "SELECT account_id AS accountId, key FROM renderings";
  const { accountId, key } = database.prepare(select).get() as { accountId: string; key: string };
  const accounts = database.prepare("SELECT id FROM accounts").all() as { id: string }[];
  database.close();
  const storage = await openSqliteStorage({ directory: dataDir });
  const rendering = await storage.renderings.get({ accountId, key, now: Date.now() });
  if (rendering === null) throw new Error("The rendering is not cached.");
  for (const { id } of accounts) await storage.renderings.put({ accountId: id, key, rendering });
  await storage.close();
}

/** Responses per second of the last side relative to the first. */
function ratioOf(sides: readonly Side[]): number {
  return medianRatio(sides.at(-1)?.perSecond ?? [], sides[0]?.perSecond ?? []);
}

function rowsOf(sides: readonly Side[]): Record<string, string>[] {
  const [first] = sides;
  return sides.map((side) => ({
    response: side.title,
    "responses/s": formatNumber(median(side.perSecond)),
    "server CPU µs each": formatNumber(median(side.cpuMicrosecondsPerResponse)),
    "responses/s relative to the first row": formatNumber(
      medianRatio(side.perSecond, first?.perSecond ?? []),
    ),
    "CPU of the first row relative to its CPU": formatNumber(
      medianRatio(first?.cpuMicrosecondsPerResponse ?? [], side.cpuMicrosecondsPerResponse),
    ),
  }));
}
