import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { findFreePort } from "./free-port.ts";

/** Between finding a free port and taking it, another program may have been faster. */
const STARTS = 5;

/** A Redis of one's own. */
export interface RedisServer {
  /** With no user and no password. */
  readonly url: string;
  /** Of the process that runs now, or ran last. */
  readonly pid: number;
  /** Ends it for good and frees what it took. */
  stop(): Promise<void>;
  /** Ends it without a warning, as `kill -9` does. */
  kill(): Promise<void>;
  /** Starts it again, empty, at the same address; ends it first if it runs. */
  restart(): Promise<void>;
}

/**
 * Starts `redis-server` on a free port of the loopback, without persistence. It ends with this process at
 * the latest.
 *
 * @param settings Lines of its configuration, such as `requirepass secret`.
 *
 * @example
 * const redis = await startRedis();
 * const cache = await openRedisCache({ url: redis.url });
 * await redis.stop();
 */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), "snap-redis-"));
  const started = await startSomewhere(folder, settings);
  const { port } = started;
  let { child } = started;
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return pidOf(child);
    },
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
    kill,
    async restart() {
      await kill();
      child = await start(port, folder, settings);
    },
  };
}

async function startSomewhere(
  folder: string,
  settings: readonly string[],
): Promise<{ child: ChildProcess; port: number }> {
  for (let tries = 1; ; tries += 1) {
    const port = await findFreePort();
    try {
      return { child: await start(port, folder, settings), port };
    } catch (error) {
      if (tries < STARTS) continue;
      await rm(folder, { recursive: true });
      throw error;
    }
  }
}

/** Resolves once it takes connections. */
async function start(port: number, folder: string, settings: readonly string[]): Promise<ChildProcess> {
  const file = join(folder, "redis.conf");
  const own = [`port ${port}`, "bind 127.0.0.1", `dir "${folder}"`, 'save ""', "appendonly no"];
  await writeFile(file, [...own, ...settings, ""].join("\n"));
  const child = launch(file);
  const endWithThis = (): void => void child.kill("SIGKILL");
  process.once("exit", endWithThis);
  child.once("exit", () => process.removeListener("exit", endWithThis));
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => reject(new Error(`redis-server ended:\n${said.join("\n")}`)));
    for (const input of [child.stdout, child.stderr])
      createInterface(input).on("line", (line) => {
        said.push(line);
        if (line.includes("Ready to accept connections")) resolve();
      });
  });
  return child;
}

/** On Linux the kernel ends it with the thread that started it, however that one ends. */
function launch(file: string): ChildProcessByStdio<null, Readable, Readable> {
  const command = ["redis-server", file];
  const [program = "", ...args] =
    process.platform === "linux" ? ["setpriv", "--pdeathsig", "KILL", ...command] : command;
  return spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error("redis-server was not started");
  return pid;
}
