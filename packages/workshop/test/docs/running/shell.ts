import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Printed {
  readonly ok: boolean;
  /** Both outputs, in the order they came. */
  readonly output: string;
}

/** A bash that commands are typed into, one block after the other. */
export interface Shell {
  /** Not ok when a command of the block failed or took too long, which is the end of the shell. */
  run(block: string): Promise<Printed>;
  /** Ends it, and whatever it left running. */
  close(): Promise<void>;
}

export interface Place {
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Ends at once what runs there. */
  readonly signal?: AbortSignal | undefined;
}

/** Opens a bash in a folder. `scripts` is a folder of its own for the blocks. */
export function openShell(place: Place, scripts: string): Shell {
  const mark = `-- ${randomUUID()}`;
  const { child, output } = start("bash", ["-e", "-o", "pipefail"], place);
  child.stdin?.write("exec 2>&1\n");
  let blocks = 0;
  let seen = 0;
  return {
    async run(block) {
      const script = join(scripts, `${(blocks += 1)}.sh`);
      await writeFile(script, `${block}\n`);
      // Commands must not read what is typed behind them.
      child.stdin?.write(`. '${script}' </dev/null\nprintf '\\n%s\\n' '${mark}'\n`);
      const found = await output.until((text) => text.includes(mark, seen));
      const printed = output.text().slice(seen).split(`\n${mark}\n`)[0] ?? "";
      seen = output.text().length;
      return { ok: found, output: printed };
    },
    close: () => endGroup(child),
  };
}

/** The longest that one block may take: a page that hangs is to be told with its place. */
const BLOCK_TIMEOUT_MS = 40_000;

/** What a process has printed so far. */
export interface Output {
  text(): string;
  /** Resolves with true once the text is as wanted, and with false when the process ends before, or takes too long. */
  until(isWanted: (text: string) => boolean): Promise<boolean>;
}

/** Starts a command as the head of a process group, so that all it starts can be ended with it. */
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
  child.stdin?.on("error", () => {}); // a shell that has ended reads nothing more
  child.on("error", (error) => {
    text += error.message;
    ended = true;
    look();
  });
  child.on("exit", () => {
    ended = true;
    // What it printed last may still be on its way.
    setImmediate(look);
  });
  return {
    child,
    output: {
      text: () => text,
      until: (isWanted) =>
        new Promise((resolve) => {
          let late = false;
          const watch = (): void => {
            if (!isWanted(text) && !ended && !late) return;
            watchers.delete(watch);
            clearTimeout(timer);
            resolve(isWanted(text));
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

/** Ends a process group, and waits until nobody in it has its output open any more. */
export async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const isOpen = child.stdout?.closed === false || child.stderr?.closed === false;
  const closed = isOpen ? once(child, "close") : null;
  try {
    process.kill(-child.pid, "SIGTERM");
  } catch {
    // Everything in it has ended.
  }
  await closed;
}
