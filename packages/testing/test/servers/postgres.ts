import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findFreePort } from "./free-port.ts";

/** A PostgreSQL server on the loopback interface, for one test file. It stops with the process that started it. */
export interface PostgresServer {
  readonly port: number;
  /** Returns the URL of a database, by default `postgres`. */
  url(database?: string): string;
  /** Sends SIGKILL to all its processes. */
  kill(): Promise<void>;
  /** Stops all its processes with SIGSTOP: connections are accepted, and nothing is answered. */
  hang(): void;
  /** Starts it again after `kill`, on the same port, with the same data. */
  start(): Promise<void>;
  /** Stops it and deletes its data. */
  remove(): Promise<void>;
}

const SUPERUSER = "snap";
/** `nobody` on Debian. PostgreSQL does not run as root. */
const UNPRIVILEGED_ID = 65_534;
const READY = "database system is ready to accept connections";

/** Returns the folder of the newest PostgreSQL, or `null` if none is installed. */
function findPostgres(): string | null {
  const [newest] = globSync("/usr/lib/postgresql/[0-9]*/bin").toSorted((a, b) =>
    b.localeCompare(a, "en", { numeric: true }),
  );
  return newest ?? null;
}

/**
 * @param more additional server settings, by name.
 * @throws Error if PostgreSQL is not installed or does not start.
 */
export async function startPostgres(more: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === null) throw new Error("PostgreSQL is not installed.");
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
  const signal = (name: NodeJS.Signals): void => {
    if (server?.pid !== undefined) signalWithChildren(server.pid, name);
  };
  const killNow = (): void => signal("SIGKILL");
  const kill = async (): Promise<void> => {
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    killNow();
    await ended;
  };
  process.once("exit", killNow);
  await start();
  return {
    port,
    url: (database = "postgres") => `postgres://${SUPERUSER}@127.0.0.1:${port}/${database}`,
    kill,
    hang: () => signal("SIGSTOP"),
    start,
    async remove() {
      process.removeListener("exit", killNow);
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function untilEnd(child: ChildProcess): Promise<void> {
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (log += text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}: ${log}`);
}

/** Discards the log after the server is ready. */
async function untilReady(child: ChildProcess): Promise<void> {
  const log: string[] = [];
  if (child.stderr === null) throw new Error("stderr is not piped");
  const lines = createInterface(child.stderr);
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${log.join("\n")}`)));
    child.once("error", reject);
    lines.on("line", (line) => {
      log.push(line);
      if (line.includes(READY)) resolve();
    });
  });
  lines.removeAllListeners("line").on("line", () => {});
}

/** Signals the child processes too: each has its own session, and would survive for a moment. */
function signalWithChildren(pid: number, signal: NodeJS.Signals): void {
  const children = globSync(`/proc/${pid}/task/${pid}/children`).flatMap((path) =>
    readFileSync(path, "utf8").trim().split(" "),
  );
  for (const each of [pid, ...children.filter((child) => child !== "").map(Number)]) {
    try {
      process.kill(each, signal);
    } catch {
      // already ended
    }
  }
}
