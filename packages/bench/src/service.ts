import { createClient, type BatchItemInput, type RenderBatch } from "@snap/client";
import { createEngine, type Engine, type Renderer } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { startProgram } from "./processes.ts";
import type { Bench } from "./scenario.ts";
import { MIN_FILE_BYTES, parametersOf, type RenderJob, type Way } from "./ways/way.ts";

export const SECRET_KEY = "secret key of the benchmark";
const CLI = join(import.meta.dirname, "../../server/dist/cli.js");

/** The interval grows tenfold, to 100 ms. */
const BATCH_WAIT = { pollIntervalMs: 10, timeoutMs: 120_000 } as const;

export type RequestHeaders = Readonly<Record<string, string>>;

export interface StartedService {
  readonly pid: number;
  /** When the process started, and when it began to listen, as returned by `performance.now()`. */
  readonly startedAtMs: number;
  readonly listeningAtMs: number;
  readonly port: number;
  /** Base URL of the API, which ends in `/v1`. */
  readonly baseUrl: string;
  readonly dataDir: string;
  /** A bearer header for each account. */
  readonly bearerHeaders: readonly RequestHeaders[];
  readonly snapUrl: (job: RenderJob) => string;
  /**
   * Submits a batch for the account at this position in `bearerHeaders`, and returns it once it is complete.
   *
   * @throws SnapError if the service rejects it, or it does not finish in time.
   */
  readonly renderBatch: (account: number, items: readonly BatchItemInput[]) => Promise<RenderBatch>;
  /** Drains the accepted requests first. */
  readonly stop: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

export interface ServiceOptions {
  readonly accounts?: number;
  /** Additional settings. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the built service on a data folder with new accounts, whose credits and render limits are out of reach. */
export async function startService(
  bench: Bench,
  { accounts = 1, env: settings }: ServiceOptions = {},
): Promise<StartedService> {
  const dataDir = await mkdtemp(join(bench.scratch, "service-"));
  // Creates the accounts in this process, because a command per account would start hundreds of processes.
  const engine = createEngine({
    storage: await openSqliteStorage({ directory: dataDir }),
    renderer: NO_RENDERER,
    secretKey: SECRET_KEY,
  });
  const tokens = await createTokens(engine, accounts);
  await engine.close();
  const env = {
    SNAP_DATA_DIR: dataDir,
    SNAP_SECRET_KEY: SECRET_KEY,
    SNAP_ALLOW_TARGETS: bench.allowedTargets,
    SNAP_CHROMIUM_PATH: bench.browserPath,
    SNAP_PORT: "0",
    ...settings,
  };
  const startedAtMs = performance.now();
  const program = await startProgram(CLI, ["serve"], env, (line) => line.includes('"listening"'));
  const listeningAtMs = performance.now();
  const { port } = JSON.parse(program.line) as { port: number };
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const snapUrl = (job: RenderJob): string =>
    `${baseUrl}/snap?${new URLSearchParams(parametersOf(job)).toString()}`;
  const bearerHeaders = tokens.map((token) => ({ authorization: `Bearer ${token}` }));
  const renderBatch: StartedService["renderBatch"] = async (account, items) => {
    const { batches } = createClient({ baseUrl, token: tokens[account], maxRetries: 0 });
    return batches.wait(await batches.submit({ items }), BATCH_WAIT);
  };
  return {
    ...program,
    startedAtMs,
    listeningAtMs,
    port,
    baseUrl,
    dataDir,
    bearerHeaders,
    snapUrl,
    renderBatch,
  };
}

/** Starts the whole server as a way of rendering; its accounts take turns. */
export async function startServerWay(bench: Bench, options: ServiceOptions = {}): Promise<Way> {
  const { pid, bearerHeaders, snapUrl, stop } = await startService(bench, options);
  let requests = 0;
  return {
    name: "server",
    pid,
    stop,
    async render(job) {
      const { headers, body } = await fetchExpecting(
        200,
        snapUrl(job),
        bearerHeaders[requests++ % bearerHeaders.length],
      );
      if (headers.get("x-cache") !== "MISS" || body.length < MIN_FILE_BYTES)
        throw new Error(
          `expected a new rendering, got X-Cache ${headers.get("x-cache")} and ${body.length} bytes`,
        );
      return body.length;
    },
  };
}

/** @throws Error if the status is unexpected, so no rejection counts as a response. */
export async function fetchExpecting(
  status: number,
  url: string,
  headers: RequestHeaders = {},
): Promise<{ readonly headers: Headers; readonly body: Buffer }> {
  const response = await fetch(url, { headers });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== status) throw new Error(`${url}: ${response.status} ${body.toString()}`);
  return { headers: response.headers, body };
}

async function createTokens(engine: Engine, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id: accountId } = await engine.accounts.create({
      email: `bench-${index}@example.com`,
      verified: true,
      planSlug: "scale",
      creditsPerPeriod: 1_000_000,
      requestsPerMinute: 1_000_000,
    });
    const { token } = await engine.tokens.create({ accountId });
    tokens.push(token);
  }
  return tokens;
}

export const NO_RENDERER: Renderer = {
  render: () => Promise.reject(new Error("this engine does not render")),
  health: () => Promise.resolve({ ready: false, reason: "this engine does not render" }),
  close: () => Promise.resolve(),
};
