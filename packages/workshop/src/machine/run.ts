import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { CACHE, readManifest, ROOT } from "../workspace.ts";

export interface Outcome {
  readonly ok: boolean;
  /** Stdout and stderr, interleaved, without trailing white space. */
  readonly output: string;
}

export interface RunOptions {
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Holds programs that the setup extracted from Debian packages. */
export const PROGRAMS = join(CACHE, "programs");

/**
 * Puts the workspace's tools first on the PATH and the system's folders last: on a fresh machine, the PATH may contain
 * only Node and npm.
 */
export function extendPath(): void {
  process.env["PATH"] = [
    join(ROOT, "node_modules/.bin"),
    join(ROOT, "packages/workshop/node_modules/.bin"),
    PROGRAMS,
    process.env["PATH"] ?? "",
    ..."/usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin".split(" "),
  ].join(delimiter);
}

/**
 * Runs a command and collects its output. If the command cannot be started or is killed by a signal, returns an
 * outcome that is not ok; never throws.
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

/** Runs the workspace's version of pnpm, which may not be on the PATH. */
export function runPnpm(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { packageManager = "pnpm" } = readManifest(ROOT);
  return run("npx", ["--yes", packageManager, ...args], options);
}

/**
 * Replaces this process with another Node program, which then receives signals, uses the terminal and sets the
 * exit code without a parent in between.
 */
export function execNode(script: string, args: readonly string[]): never {
  if (process.execve === undefined) throw new Error("This command needs Linux or macOS.");
  return process.execve(process.execPath, [process.execPath, script, ...args], process.env);
}
