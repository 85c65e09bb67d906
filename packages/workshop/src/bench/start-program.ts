import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface StartedProgram {
  /** The line that was waited for. */
  readonly line: string;
  readonly stop: () => void;
}

/** Starts a Node program, which ends with this one at the latest, and waits for the line that tells where it listens. */
export function startProgram(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  tells: (line: string) => boolean = () => true,
): Promise<StartedProgram> {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = (): void => void child.kill();
  process.once("exit", stop);
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${script} ended with ${code}`)));
    createInterface(child.stdout).on("line", (line) => {
      if (tells(line)) resolve({ line, stop });
    });
  });
}
