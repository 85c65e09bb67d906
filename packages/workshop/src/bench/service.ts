import { createEngine, type Renderer } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../repository/workspace.ts";
import { fetchExpecting, type Headers } from "./fetch-expecting.ts";
import type { Bench } from "./scenario.ts";
import { startProgram } from "./start-program.ts";
import { parametersOf } from "./ways/engine.ts";
import { LEAST_BYTES, type RenderJob, type Way } from "./ways/way.ts";

const CLI = join(ROOT, "packages/server/dist/cli.js");
const SECRET_KEY = "only of the benchmark";

export interface BenchedService {
  readonly pid: number;
  /** By `performance.now()`: when the process was started, and when it said that it listens. */
  readonly startedAtMs: number;
  readonly listeningAtMs: number;
  readonly origin: string;
  /** Base address of the API, which ends in `/v1`. */
  readonly baseUrl: string;
  readonly dataDir: string;
  /** A bearer header for each account that was asked for. */
  readonly bearers: readonly Headers[];
  readonly snapUrl: (job: RenderJob) => string;
  /** Lets what it has accepted finish first. */
  readonly stop: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

export interface ServiceOptions {
  readonly accounts?: number;
  /** Bound on the renders that run at once (SNAP_RENDER_CONCURRENCY); by default as many as the service chooses. */
  readonly concurrency?: number;
}

/** Starts the built service on an empty data folder, with accounts whose limits slow nothing down. */
export async function startService(
  bench: Bench,
  { accounts = 1, concurrency }: ServiceOptions = {},
): Promise<BenchedService> {
  const dataDir = await mkdtemp(join(bench.scratch, "service-"));
  const bearers = await createBearers(dataDir, accounts);
  const env = {
    SNAP_DATA_DIR: dataDir,
    SNAP_SECRET_KEY: SECRET_KEY,
    SNAP_ALLOW_TARGETS: bench.allowedTargets,
    SNAP_CHROMIUM_PATH: bench.browserPath,
    SNAP_PORT: "0",
    ...(concurrency === undefined ? {} : { SNAP_RENDER_CONCURRENCY: String(concurrency) }),
  };
  const startedAtMs = performance.now();
  const { pid, line, stop, kill } = await startProgram(CLI, ["serve"], env, (text) =>
    text.includes('"listening"'),
  );
  const listeningAtMs = performance.now();
  const { host, port } = JSON.parse(line) as { host: string; port: number };
  const origin = `http://${host}:${port}`;
  const baseUrl = `${origin}/v1`;
  const snapUrl = (job: RenderJob): string => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parametersOf(job))) query.set(name, String(value));
    return `${baseUrl}/snap?${query.toString()}`;
  };
  return { pid, startedAtMs, listeningAtMs, origin, baseUrl, dataDir, bearers, snapUrl, stop, kill };
}

/** The whole server as one of the ways; its accounts take turns. */
export async function startServerWay(bench: Bench, options: ServiceOptions = {}): Promise<Way> {
  const { pid, bearers, snapUrl, stop } = await startService(bench, options);
  let requests = 0;
  return {
    name: "server",
    pid,
    stop,
    async render(job) {
      const { headers, body } = await fetchExpecting(200, snapUrl(job), bearers[requests++ % bearers.length]);
      if (headers["x-cache"] !== "MISS" || body.length < LEAST_BYTES)
        throw new Error(`no new rendering: ${JSON.stringify(headers)}, ${body.length} bytes`);
      return body.length;
    },
  };
}

/** Before the server starts, so that hundreds of accounts cost no process each. */
async function createBearers(directory: string, accounts: number): Promise<Headers[]> {
  const engine = createEngine({
    storage: await openSqliteStorage({ directory }),
    renderer: NO_RENDERER,
    secretKey: SECRET_KEY,
  });
  const bearers: Headers[] = [];
  for (let index = 0; index < accounts; index += 1) {
    const { id: accountId } = await engine.accounts.create({
      email: `bench-${index}@example.com`,
      verified: true,
      planSlug: "scale",
      creditsPerPeriod: 1_000_000,
      requestsPerMinute: 1_000_000,
    });
    const { token } = await engine.tokens.create({ accountId });
    bearers.push({ authorization: `Bearer ${token}` });
  }
  await engine.close();
  return bearers;
}

const NO_RENDERER: Renderer = {
  render: () => Promise.reject(new Error("nothing is rendered here")),
  health: () => Promise.resolve({ ready: false, reason: "nothing is rendered here" }),
  close: () => Promise.resolve(),
};
