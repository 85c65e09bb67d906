import { execFile } from "node:child_process";
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFreePort } from "./free-port.ts";
import { startProgram, type StartedProgram } from "./start-program.ts";

const execute = promisify(execFile);

/**
 * A PostgreSQL server on the loopback interface, for one test file. It stops when the process that
 * started it exits.
 */
export interface PostgresServer {
  readonly port: number;
  /** The data folder. It belongs to the user who runs the server. */
  readonly data: string;
  /** Returns the URL of a database, by default `postgres`. */
  url(database?: string): string;
  /** Sends SIGKILL to all its processes. */
  kill(): Promise<void>;
  /** Stops all its processes with SIGSTOP: connections are accepted, but get no response. */
  hang(): void;
  /** Starts it again after `kill`, on the same port, with the same data. */
  start(): Promise<void>;
  /** Stops it and deletes its data. */
  remove(): Promise<void>;
}

const SUPERUSER = "snap";
/** `nobody` on Debian. PostgreSQL does not run as root. */
const UNPRIVILEGED_ID = 65_534;
/** Another program can take a free port first. */
const PORTS_MAX = 5;
const READY = /database system is ready to accept connections/;

/** Returns the newest PostgreSQL's folder of programs, or `null` if none is installed. */
function findPostgres(): string | null {
  const [newest] = globSync("/usr/lib/postgresql/[0-9]*/bin").toSorted((a, b) =>
    b.localeCompare(a, "en", { numeric: true }),
  );
  return newest ?? null;
}

/**
 * @param more Additional server settings, by name.
 * @throws Error if PostgreSQL is not installed or does not start.
 */
export async function startPostgres(more: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const binFolder = findPostgres();
  if (binFolder === null) throw new Error("PostgreSQL is not installed.");
  const directory = mkdtempSync(join(tmpdir(), "snap-postgres-"));
  const identity = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {};
  if (identity.uid !== undefined) chownSync(directory, identity.uid, identity.gid);
  const data = join(directory, "data");
  const initdbArgs = [
    "-D",
    data,
    "-U",
    SUPERUSER,
    "--auth=trust",
    "--no-sync",
    "-E",
    "UTF8",
    "--locale=C.UTF-8",
  ];
  await execute(join(binFolder, "initdb"), initdbArgs, { ...identity, cwd: directory });

  let port = await findFreePort();
  let server: StartedProgram | null = null;
  const start = async (): Promise<void> => {
    const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", fsync: "off", ...more };
    const settingArgs = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const command = [join(binFolder, "postgres"), "-D", data, "-p", String(port), ...settingArgs];
    server = await startProgram(command, { ...identity, cwd: directory, ready: READY });
  };
  const signal = (name: NodeJS.Signals): void => {
    if (server !== null) signalWithChildren(server.pid, name);
  };
  const killNow = (): void => signal("SIGKILL");
  const kill = async (): Promise<void> => {
    killNow();
    await server?.kill();
    server = null;
  };
  const startOnFreePort = async (triesLeft = PORTS_MAX): Promise<void> => {
    try {
      await start();
    } catch (error) {
      if (triesLeft === 1 || !String(error).includes("Address already in use")) throw error;
      port = await findFreePort();
      await startOnFreePort(triesLeft - 1);
    }
  };
  process.once("exit", killNow);
  await startOnFreePort();
  return {
    port,
    data,
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

/** Also signals the child processes, because each has its own session and would survive for a moment. */
function signalWithChildren(pid: number, signal: NodeJS.Signals): void {
  const children = globSync(`/proc/${pid}/task/${pid}/children`).flatMap((path) =>
    readFileSync(path, "utf8").trim().split(" "),
  );
  for (const each of [pid, ...children.filter((child) => child !== "").map(Number)]) {
    try {
      process.kill(each, signal);
    } catch {
      // already exited
    }
  }
}
