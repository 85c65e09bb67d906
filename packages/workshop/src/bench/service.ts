import { join } from "node:path";
import { run } from "../machine/run.ts";
import { ROOT } from "../repository/workspace.ts";
import { fetchExpecting } from "./fetch-expecting.ts";
import { startProgram } from "./start-program.ts";

const CLI = join(ROOT, "packages/server/dist/cli.js");

export interface BenchedService {
  /** Base address of the API, which ends in `/v1`. */
  readonly baseUrl: string;
  readonly renderUrl: string;
  /** A bearer header for each account that was asked for. */
  readonly bearers: readonly Readonly<Record<string, string>>[];
  readonly stop: () => void;
}

/** Starts the built service on an empty data folder, with accounts that no limit of theirs slows down. */
export async function startService(options: {
  readonly accounts: number;
  readonly target: string;
  readonly dataDir: string;
}): Promise<BenchedService> {
  const env = {
    SNAP_DATA_DIR: options.dataDir,
    SNAP_ALLOW_TARGETS: options.target,
    SNAP_PORT: "0",
  };
  const bearers: Record<string, string>[] = [];
  for (let account = 0; account < options.accounts; account += 1)
    bearers.push(await createBearer(env, account));
  const { line, stop } = await startProgram(CLI, ["serve"], env, (text) => text.includes('"listening"'));
  const { host, port } = JSON.parse(line) as { host: string; port: number };
  const origin = `http://${host}:${port}`;
  await fetchExpecting(200, `${origin}/readyz`);
  const url = encodeURIComponent(`http://${options.target}/`);
  const baseUrl = `${origin}/v1`;
  return { baseUrl, renderUrl: `${baseUrl}/snap?waitUntil=load&url=${url}`, bearers, stop };
}

async function createBearer(
  env: Readonly<Record<string, string>>,
  index: number,
): Promise<Record<string, string>> {
  const email = `bench-${index}@example.com`;
  const limits = ["--plan", "scale", "--credits", "1000000", "--requests-per-minute", "1000000"];
  const account = await runJson(["accounts", "create", "--email", email, ...limits], env);
  const token = await runJson(["tokens", "create", "--account", account["id"] ?? ""], env);
  return { authorization: `Bearer ${token["token"]}` };
}

async function runJson(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const { ok, output } = await run(process.execPath, [CLI, ...args, "--json"], { env });
  if (!ok) throw new Error(`snap-server ${args.join(" ")}: ${output}`);
  return JSON.parse(output) as Record<string, string>;
}
