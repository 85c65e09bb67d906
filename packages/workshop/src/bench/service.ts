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

/** Starts the built service on an empty data folder, with accounts that no limit of theirs slows down. */
export async function startService(bench: Bench, accounts = 1): Promise<BenchedService> {
  const dataDir = await mkdtemp(join(bench.scratch, "service-"));
  const bearers = await createBearers(dataDir, accounts);
  const env = {
    SNAP_DATA_DIR: dataDir,
    SNAP_SECRET_KEY: SECRET_KEY,
    SNAP_ALLOW_TARGETS: new URL(bench.siteOrigin).host,
    SNAP_CHROMIUM_PATH: bench.browserPath,
    SNAP_PORT: "0",
  };
  const { pid, line, stop, kill } = await startProgram(CLI, ["serve"], env, (text) =>
    text.includes('"listening"'),
  );
  const { host, port } = JSON.parse(line) as { host: string; port: number };
  const origin = `http://${host}:${port}`;
  await fetchExpecting(200, `${origin}/readyz`);
  const baseUrl = `${origin}/v1`;
  const snapUrl = (job: RenderJob): string => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parametersOf(job))) query.set(name, String(value));
    return `${baseUrl}/snap?${query.toString()}`;
  };
  return { pid, origin, baseUrl, dataDir, bearers, snapUrl, stop, kill };
}

/** The whole server as one of the ways. */
export async function startServerWay(bench: Bench): Promise<Way> {
  const { pid, bearers, snapUrl, stop } = await startService(bench);
  return {
    name: "server",
    pid,
    stop,
    async render(job) {
      const { headers, body } = await fetchExpecting(200, snapUrl(job), bearers[0]);
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
