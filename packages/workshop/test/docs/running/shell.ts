import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Printed {
  readonly ok: boolean;
  /** Stdout and stderr, interleaved. */
  readonly output: string;
}

/** A Bash process that runs the `sh` blocks on a page one after another. */
export interface Shell {
  /** Runs a block. The result is not ok if a command in it failed or timed out, which also ends the shell. */
  run(block: string): Promise<Printed>;
  /** Stops the shell and its background processes. */
  close(): Promise<void>;
}

export interface Place {
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Stops the processes when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** Opens a bash in a folder. `scripts` is a separate folder for the blocks. */
export function openShell(place: Place, scripts: string): Shell {
  const mark = `-- ${randomUUID()}`;
  const { child, output } = start("bash", ["-e", "-o", "pipefail"], place);
  child.stdin?.write("exec 2>&1\n");
  let blocks = 0;
  let readChars = 0;
  return {
    async run(block) {
      const script = join(scripts, `${(blocks += 1)}.sh`);
      await writeFile(script, `${block}\n`);
      // Commands must not read the shell's input.
      child.stdin?.write(`. '${script}' </dev/null\nprintf '\\n%s\\n' '${mark}'\n`);
      const found = await output.until((text) => text.includes(mark, readChars));
      const printed = output.text().slice(readChars).split(`\n${mark}\n`)[0] ?? "";
      readChars = output.text().length;
      return { ok: found, output: printed };
    },
    close: () => endGroup(child),
  };
}

/** The timeout for a block, so a hanging block is reported with its place. */
const BLOCK_TIMEOUT_MS = 40_000;

/** The output of a process so far. */
export interface Output {
  text(): string;
  /** Resolves with true once the text matches, and with false if the process exits or times out first. */
  until(isMatch: (text: string) => boolean): Promise<boolean>;
}

/** Starts a command as the leader of a process group, so its descendants can be stopped with it. */
export function start(
  command: string,
  args: readonly string[],
  { directory, environment, signal }: Place,
): { readonly child: ChildProcess; readonly output: Output } {
  const child = spawn(command, args, {
    cwd: directory,
    env: environment,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let text = "";
  let ended = false;
  const watchers = new Set<() => void>();
  const look = (): void => watchers.forEach((watch) => watch());
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      look();
    });
  signal?.addEventListener("abort", () => void endGroup(child));
  child.stdin?.on("error", () => {}); // an exited shell closes its input
  child.on("error", (error) => {
    text += error.message;
    ended = true;
    look();
  });
  child.on("exit", () => {
    ended = true;
    // The last output might still be in the pipe.
    setImmediate(look);
  });
  return {
    child,
    output: {
      text: () => text,
      until: (isMatch) =>
        new Promise((resolve) => {
          let late = false;
          const watch = (): void => {
            if (!isMatch(text) && !ended && !late) return;
            watchers.delete(watch);
            clearTimeout(timer);
            resolve(isMatch(text));
          };
          const timer = setTimeout(() => {
            late = true;
            watch();
          }, BLOCK_TIMEOUT_MS);
          watchers.add(watch);
          watch();
        }),
    },
  };
}

/** Stops a process group, and waits for all its processes to close their output. */
export async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const isOpen = child.stdout?.closed === false || child.stderr?.closed === false;
  const closed = isOpen ? once(child, "close") : null;
  try {
    process.kill(-child.pid, "SIGTERM");
  } catch {
    // All its processes have exited.
  }
  await closed;
}
