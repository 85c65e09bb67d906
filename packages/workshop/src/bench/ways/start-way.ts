import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Bench } from "../scenario.ts";
import { LEAST_BYTES, type ProgramOptions, type RenderJob, type Way } from "./way.ts";

const PROGRAM = join(import.meta.dirname, "../programs/way-process.ts");

type Answer = {
  readonly ready?: true;
  readonly id?: number;
  readonly byteLength?: number;
  readonly error?: string;
};

/**
 * Starts one of the ways of programs/way-process.ts.
 *
 * @throws Error when it can't be started.
 */
export async function startWay(name: string, bench: Bench): Promise<Way> {
  const options: ProgramOptions = {
    browserPath: bench.browserPath,
    allowedTargets: bench.allowedTargets,
    folder: await mkdtemp(join(bench.scratch, `${name}-`)),
  };
  const child = fork(PROGRAM, [name, JSON.stringify(options)], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let complaint = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint = `${complaint}${text}`.slice(-2000);
  });
  const ended = once(child, "exit");
  const waiting = new Map<number, PromiseWithResolvers<number>>();
  const ready = Promise.withResolvers<void>();
  child.on("message", ({ ready: isReady, id = 0, byteLength = 0, error }: Answer) => {
    if (isReady === true) return ready.resolve();
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error !== undefined) asked?.reject(new Error(`${name}: ${error}`));
    else if (byteLength < LEAST_BYTES) asked?.reject(new Error(`${name}: a file of ${byteLength} bytes`));
    else asked?.resolve(byteLength);
  });
  child.once("exit", () => {
    const error = new Error(`${name} has ended: ${complaint}`);
    ready.reject(error);
    for (const { reject } of waiting.values()) reject(error);
  });
  await ready.promise;
  let lastId = 0;
  return {
    name,
    pid: child.pid ?? 0,
    render(job: RenderJob) {
      const id = (lastId += 1);
      const asked = Promise.withResolvers<number>();
      waiting.set(id, asked);
      child.send({ id, job });
      return asked.promise;
    },
    async stop() {
      child.send("close");
      await ended;
    },
  };
}
