import { spawn } from "node:child_process";
import { once } from "node:events";

export interface ProcessOptions {
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Stops the processes when it aborts. */
  readonly signal: AbortSignal;
}

/** A Bash script with all the processes that it starts. */
export interface ProcessGroup {
  /** Stdout and stderr so far, interleaved. */
  output(): string;
  /** Resolves with true once the output matches, and with false if the script exits first. */
  printed(isMatch: (output: string) => boolean): Promise<boolean>;
  readonly exited: Promise<unknown>;
  /** Stops all processes, and waits for them to close their output. */
  end(): Promise<void>;
}

export function startGroup(script: string, { directory, environment, signal }: ProcessOptions): ProcessGroup {
  const child = spawn("bash", ["-e", "-o", "pipefail", "-c", `exec 2>&1\n${script}`], {
    cwd: directory,
    env: environment,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  const exited = once(child, "exit");
  const closed = once(child, "close");
  const end = async (): Promise<void> => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    } catch {
      // All processes have exited.
    }
    await closed;
  };
  if (signal.aborted) void end();
  else signal.addEventListener("abort", () => void end());
  return {
    output: () => output,
    async printed(isMatch) {
      while (!isMatch(output) && child.exitCode === null && child.signalCode === null)
        await Promise.race([once(child.stdout, "data"), closed]);
      return isMatch(output);
    },
    exited,
    end,
  };
}
