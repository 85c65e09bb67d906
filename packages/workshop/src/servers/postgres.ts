import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { endProcess, readTree } from "../bench/process-tree.ts";
import { findFreePort } from "./free-port.ts";

/** A PostgreSQL of its own, on the loopback, that ends with this process. */
export interface PostgresServer {
  readonly port: number;
  /** Of a database on it, `postgres` unless given. */
  url(database?: string): string;
  /** SIGKILL to all its processes. */
  kill(): Promise<void>;
  /** After `kill`, or after `stop`; on the same port, with the same data. */
  start(): Promise<void>;
  /** Ends it, and removes its data. */
  remove(): Promise<void>;
}

const SUPERUSER = "snap";
/** PostgreSQL refuses to run as root: `nobody` on Debian. */
const UNPRIVILEGED_ID = 65_534;
const READY = "database system is ready to accept connections";

/** Folder of the newest PostgreSQL; `null` where there is none. */
export function findPostgres(): string | null {
  const installed = "/usr/lib/postgresql";
  const versions = existsSync(installed) ? readdirSync(installed).map(Number) : [];
  const newest = versions.filter(Number.isInteger).toSorted((a, b) => b - a)[0];
  return newest === undefined ? null : join(installed, String(newest), "bin");
}

/**
 * @param more Settings of the server, by name.
 * @throws Error when there is no PostgreSQL, or it doesn't start.
 */
export async function startPostgres(more: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === null) throw new Error("There is no PostgreSQL on this machine.");
  const port = await findFreePort();
  const directory = mkdtempSync(join(tmpdir(), "snap-postgres-"));
  const identity = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {};
  if (identity.uid !== undefined) chownSync(directory, identity.uid, identity.gid);
  const data = join(directory, "data");
  const options: SpawnOptions = { ...identity, cwd: directory, stdio: ["ignore", "ignore", "pipe"] };
  const setUp = ["-D", data, "-U", SUPERUSER, "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"];
  await untilEnd(spawn(join(programs, "initdb"), setUp, options));

  let server: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", fsync: "off", ...more };
    const given = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(join(programs, "postgres"), ["-D", data, "-p", String(port), ...given], options);
    server = child;
    await untilReady(child);
  };
  const kill = async (): Promise<void> => {
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    // Each of its processes has a session of its own, and would go on for a moment.
    for (const { pid } of readTree(server.pid)) endProcess(pid);
    await ended;
  };
  const killNow = (): void => {
    if (server?.pid !== undefined) for (const { pid } of readTree(server.pid)) endProcess(pid);
  };
  process.once("exit", killNow);
  await start();
  return {
    port,
    url: (database = "postgres") => `postgres://${SUPERUSER}@127.0.0.1:${port}/${database}`,
    kill,
    start,
    async remove() {
      process.removeListener("exit", killNow);
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function untilEnd(child: ChildProcess): Promise<void> {
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}: ${said}`);
}

/** Its log goes on; nobody reads it. */
async function untilReady(child: ChildProcess): Promise<void> {
  const said: string[] = [];
  if (child.stderr === null) throw new Error("The log isn't read.");
  const lines = createInterface(child.stderr);
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${said.join("\n")}`)));
    child.once("error", reject);
    lines.on("line", (line) => {
      said.push(line);
      if (line.includes(READY)) resolve();
    });
  });
  lines.removeAllListeners("line").on("line", () => {});
}
