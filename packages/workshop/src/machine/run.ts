import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { readManifest, ROOT } from "../workspace.ts";

export interface Outcome {
  readonly ok: boolean;
  /** What the command wrote to both its outputs, in the order it came. */
  readonly output: string;
}

export interface RunOptions {
  readonly cwd?: string;
  /** Added to this process's own environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Puts the workspace's own tools first on the PATH and the system's folders last: a machine may
 * have been set up with nothing but Node and npm on it.
 */
export function widenPath(): void {
  process.env["PATH"] = [
    join(ROOT, "node_modules/.bin"),
    join(ROOT, "packages/workshop/node_modules/.bin"),
    process.env["PATH"] ?? "",
    ..."/usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin".split(" "),
  ].join(delimiter);
}

/**
 * Runs a command to its end and keeps what it wrote. A command that can't be started, or is ended
 * by a signal, is an outcome that is not ok; nothing is thrown.
 *
 * @example
 * const { ok, output } = await run("fc-list", [":lang=ja", "family"]);
 */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const collect = (chunk: string): void => {
      output += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    child.on("error", (error) => resolve({ ok: false, output: `${command}: ${error.message}` }));
    child.on("close", (code) => resolve({ ok: code === 0, output: output.trimEnd() }));
  });
}

/** Runs the workspace's own version of pnpm, which isn't always on the PATH. */
export function runPnpm(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { packageManager = "pnpm" } = readManifest(ROOT);
  return run("npx", ["--yes", packageManager, ...args], options);
}

/**
 * Goes on as another Node program, in this very process: signals, the terminal and the exit code
 * are then its own, with nothing in between to pass them on.
 */
export function becomeNode(script: string, args: readonly string[]): never {
  if (process.execve === undefined) throw new Error("This command needs Linux or macOS.");
  return process.execve(process.execPath, [process.execPath, script, ...args], process.env);
}
