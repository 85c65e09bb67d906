import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { findFreePort } from "./free-port.ts";

/** How many times to try, because another program can take the free port first. */
const STARTS = 5;

/** A Redis server for one test file. */
export interface RedisServer {
  /** The URL without a user or password. */
  readonly url: string;
  /** The id of the current or last process. */
  readonly pid: number;
  /** Stops it and deletes its files. */
  stop(): Promise<void>;
  /** Kills it without warning, like `kill -9`. */
  kill(): Promise<void>;
  /** Starts it again, empty, on the same port; kills it first if it is running. */
  restart(): Promise<void>;
}

/**
 * Starts `redis-server` on a free port on the loopback interface, without persistence. It stops when this process
 * ends, if not earlier.
 *
 * @param settings Lines for its configuration, such as `requirepass secret`.
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

/** Resolves when the server accepts connections. */
async function start(port: number, folder: string, settings: readonly string[]): Promise<ChildProcess> {
  const file = join(folder, "redis.conf");
  const own = [`port ${port}`, "bind 127.0.0.1", `dir "${folder}"`, 'save ""', "appendonly no"];
  await writeFile(file, [...own, ...settings, ""].join("\n"));
  const child = launch(file);
  const endWithThis = (): void => void child.kill("SIGKILL");
  process.once("exit", endWithThis);
  child.once("exit", () => process.removeListener("exit", endWithThis));
  const log: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => reject(new Error(`redis-server ended:\n${log.join("\n")}`)));
    for (const input of [child.stdout, child.stderr])
      createInterface(input).on("line", (line) => {
        log.push(line);
        if (line.includes("Ready to accept connections")) resolve();
      });
  });
  return child;
}

/** On Linux, the kernel kills it when the thread that started it ends, for whatever reason. */
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
