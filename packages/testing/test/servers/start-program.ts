import { spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface StartedProgram {
  readonly pid: number;
  /** What matched `ready`. */
  readonly match: RegExpExecArray;
  /** Kills it without warning, like `kill -9`; with `detached`, kills its whole process group. */
  readonly kill: () => Promise<void>;
}

interface StartOptions extends Omit<SpawnOptions, "stdio"> {
  /** Matches the line of output with which the program reports that it is ready. */
  readonly ready: RegExp;
}

/** Functions that kill the programs that are still running. */
const running = new Set<() => void>();
process.once("exit", () => {
  for (const signal of running) signal();
});

/**
 * Starts a program, and resolves when it is ready. It is killed when this process exits, if not earlier.
 *
 * @throws Error with the program's output if it ends first.
 */
export async function startProgram(
  [program = "", ...args]: readonly string[],
  { ready, ...options }: StartOptions,
): Promise<StartedProgram> {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const signal = (): void => {
    if (options.detached !== true || child.pid === undefined) return void child.kill("SIGKILL");
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // it has already exited
    }
  };
  running.add(signal);
  child.once("exit", () => running.delete(signal));
  const log: string[] = [];
  const match = await new Promise<RegExpExecArray>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`${program} exited with ${code}:\n${log.join("\n")}`)));
    for (const output of [child.stdout, child.stderr])
      createInterface(output).on("line", (line) => {
        log.push(line);
        const found = ready.exec(line);
        if (found !== null) resolve(found);
      });
  });
  return {
    pid: child.pid ?? 0,
    match,
    async kill() {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : null;
      signal();
      await ended;
    },
  };
}
