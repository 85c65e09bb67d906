import { abortable } from "@snap/engine/internals";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../src/cli/program.ts";

/** The built command. */
export const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
  /** Resolves once stdout matches; rejects if the command ends first. */
  whenPrinted(pattern: RegExp): Promise<RegExpExecArray>;
}

/** JSON output of `tokens create` and `tokens rotate`. */
export interface MintedToken {
  readonly id: number;
  readonly token: string;
  readonly signing_secret: string;
  readonly expires_at: string | null;
  readonly overlap_ends_at: string | null;
}

/** A temporary folder with a data folder, and the commands that run in it. */
export interface Workspace {
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Starts the built command. */
  start(args: readonly string[], environment?: NodeJS.ProcessEnv): RunningCommand;
  /** Like `start`, but in a separate terminal, which closes when the child is killed. */
  startInTerminal(args: readonly string[]): RunningCommand;
  /** Runs a command in this process if possible, which takes a tenth of the time; otherwise in its own, like `start`. */
  run(args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<Outcome>;
  /** Runs with `--json` and parses the output. */
  json(args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<unknown>;
  /** Waits for commands in this process, kills the others, and removes the folder. */
  cleanUp(): Promise<void>;
}

export function openWorkspace(variables: Readonly<Record<string, string>> = {}): Workspace {
  const directory = mkdtempSync(join(tmpdir(), "snap-cli-"));
  const inherited = Object.entries(process.env).filter(([name]) => !/^SNAP_(?!CHROMIUM_PATH)/.test(name));
  const environment = {
    ...Object.fromEntries(inherited),
    SNAP_DATA_DIR: join(directory, "data"),
    ...variables,
  };
  const running = new Set<RunningCommand>();
  const start: Workspace["start"] = (args, more = {}) => {
    const started = spawnProcess(process.execPath, [CLI, ...args], {
      cwd: directory,
      env: { ...environment, ...more },
    });
    running.add(started);
    void started.ended.then(() => running.delete(started));
    return started;
  };
  const startInTerminal: Workspace["startInTerminal"] = (args) => {
    const command = ["exec", process.execPath, CLI, ...args].join(" ");
    const started = spawnProcess("script", ["-qfc", command, "/dev/null"], {
      cwd: directory,
      env: environment,
    });
    running.add(started);
    void started.ended.then(() => running.delete(started));
    return started;
  };
  const run: Workspace["run"] = (args, more) =>
    needsOwnProcess(args)
      ? start(args, more).ended
      : runHere(args, { directory, environment: { ...environment, ...more } });
  return {
    directory,
    environment,
    start,
    startInTerminal,
    run,
    async json(args, more) {
      const { code, stdout, stderr } = await run([...args, "--json"], more);
      if (code !== 0) throw new Error(`snap-server ${args.join(" ")}: exit ${code}\n${stderr}`);
      return JSON.parse(stdout);
    },
    async cleanUp() {
      // until then, a command in this process has the folder as the working directory
      await lastRun;
      for (const { child, ended } of running) {
        child.kill("SIGKILL");
        await ended;
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** `serve` ends its process, and `-` stands for the process's own standard input or output. */
function needsOwnProcess(args: readonly string[]): boolean {
  return args[0] === "serve" || args.some((arg) => arg === "-" || arg === "@-");
}

/** Less than the time limit of a test. */
const COMMAND_MAX_MS = 50_000;

type CommandContext = Pick<Workspace, "directory" | "environment">;

/** Commands in this process share its arguments, environment and output, so they run one after another. */
let lastRun: Promise<unknown> = Promise.resolve();

function runHere(args: readonly string[], context: CommandContext): Promise<Outcome> {
  const outcome = lastRun.then(() => callCommand(args, context));
  lastRun = outcome.catch(() => {});
  return outcome;
}

async function callCommand(
  args: readonly string[],
  { directory, environment }: CommandContext,
): Promise<Outcome> {
  const { argv, env, exitCode } = process;
  const folder = process.cwd();
  const stdout = recordWrites(process.stdout);
  const stderr = recordWrites(process.stderr);
  try {
    const defined = Object.entries(environment).filter(([, value]) => value !== undefined);
    Object.assign(process, {
      argv: [process.execPath, CLI, ...args],
      env: Object.fromEntries(defined),
      exitCode: undefined,
    });
    process.chdir(directory);
    // a command that hangs must not block the commands after it
    await abortable(AbortSignal.timeout(COMMAND_MAX_MS), runCommand());
    return {
      code: Number(process.exitCode ?? 0),
      signal: null,
      stdout: stdout.text(),
      stderr: stderr.text(),
    };
  } finally {
    process.chdir(folder);
    Object.assign(process, { argv, env, exitCode });
    stdout.restore();
    stderr.restore();
  }
}

function recordWrites(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  const { write } = stream;
  let written = "";
  stream.write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
    written += String(chunk);
    const onWritten = rest.find((argument) => typeof argument === "function");
    onWritten?.();
    return true;
  };
  return { text: () => written, restore: () => void (stream.write = write) };
}

function spawnProcess(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): RunningCommand {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    stdout,
    stderr,
  }));
  return {
    child,
    ended,
    async whenPrinted(pattern) {
      for (;;) {
        const match = pattern.exec(stdout);
        if (match !== null) return match;
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`the command ended without printing ${String(pattern)}\n${stdout}${stderr}`);
        await Promise.race([once(child.stdout, "data"), once(child, "close")]);
      }
    },
  };
}

/** Polls until the result satisfies the condition, for changes without an event. */
export async function until<T>(poll: () => Promise<T>, isDone: (result: T) => boolean): Promise<T> {
  for (;;) {
    const result = await poll();
    if (isDone(result)) return result;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
