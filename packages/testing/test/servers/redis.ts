import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "./free-port.ts";
import { startProgram, type StartedProgram } from "./start-program.ts";

/** How many times to try, because another program can take the free port first. */
const START_ATTEMPTS_MAX = 5;

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
  const started = await startOnFreePort(folder, settings);
  const { port } = started;
  let { program } = started;
  const kill = (): Promise<void> => program.kill();
  return {
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return program.pid;
    },
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
    kill,
    async restart() {
      await kill();
      program = await start(port, folder, settings);
    },
  };
}

async function startOnFreePort(
  folder: string,
  settings: readonly string[],
): Promise<{ program: StartedProgram; port: number }> {
  for (let tries = 1; ; tries += 1) {
    const port = await findFreePort();
    try {
      return { program: await start(port, folder, settings), port };
    } catch (error) {
      if (tries < START_ATTEMPTS_MAX) continue;
      await rm(folder, { recursive: true });
      throw error;
    }
  }
}

/** On Linux, the kernel kills the server when the thread that started it ends, for whatever reason. */
const LAUNCHER = process.platform === "linux" ? ["setpriv", "--pdeathsig", "KILL"] : [];

async function start(port: number, folder: string, settings: readonly string[]): Promise<StartedProgram> {
  const file = join(folder, "redis.conf");
  const own = [`port ${port}`, "bind 127.0.0.1", `dir "${folder}"`, 'save ""', "appendonly no"];
  await writeFile(file, [...own, ...settings, ""].join("\n"));
  return startProgram([...LAUNCHER, "redis-server", file], { ready: /Ready to accept connections/ });
}
