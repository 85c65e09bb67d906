import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { endProcess, readTree } from "./process-tree.ts";

export interface StartedProgram {
  readonly pid: number;
  /** The line that was waited for. */
  readonly line: string;
  /** Resolves when it has ended. */
  readonly stop: () => Promise<void>;
  /** At once, with all that it has started. */
  readonly kill: () => Promise<void>;
}

/** Starts a Node program, which ends with this one at the latest, and waits for the line that tells where it listens. */
export function startProgram(
  script: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  tells: (line: string) => boolean = () => true,
): Promise<StartedProgram> {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = (): void => void child.kill();
  process.once("exit", kill);
  const ended = once(child, "exit");
  const stop = async (): Promise<void> => {
    process.removeListener("exit", kill);
    kill();
    await ended;
  };
  const killAll = async (): Promise<void> => {
    process.removeListener("exit", kill);
    for (const { pid } of readTree(child.pid ?? 0)) endProcess(pid);
    await ended;
  };
  return new Promise((resolve, reject) => {
    void ended.then(([code]) => reject(new Error(`${script} ended with ${code}`)));
    const lines = createInterface(child.stdout).on("line", (line) => {
      if (!tells(line)) return;
      // Its log goes on, and who measures beside it doesn't read it.
      lines.close();
      child.stdout.resume();
      resolve({ pid: child.pid ?? 0, line, stop, kill: killAll });
    });
  });
}
