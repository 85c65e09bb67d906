import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ROOT } from "../../../src/workspace.ts";
import type { Page } from "../../../src/docs/markdown.ts";
import { matchesOutput } from "./match-output.ts";
import { readSteps, type Step } from "./read-steps.ts";
import { startGroup, type ProcessGroup } from "./process-group.ts";

/** The service that a page addresses as 127.0.0.1:3000, with the demo page on :3001, and a free port, :3002. */
export interface PageService {
  readonly port: number;
  readonly dataDir: string;
  /** Variables that the page can use, such as `TOKEN`. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The entries in a clone that pages use. */
const CLONE_ENTRIES = ["node_modules", "package.json", "packages", "examples"];
const START = /^npm start\b/;
/** The last line of `npm start`'s own output. */
const STARTED = "Press Ctrl-C to stop.";

/**
 * Time limit for all commands of a page together, enough for a busy machine. When it ends, the
 * command that is running is reported.
 */
export const PAGE_TIMEOUT_MS = 240_000;

/**
 * Runs the commands on a page in order, in one bash, in a folder that looks like a clone. Stops at the first failure.
 *
 * @param service The running service, or the port and data folder for the page's own `npm start`.
 * @param signal Aborts the run, and stops all its processes.
 * @returns The first problem, with its place on the page and the actual output; `null` if there was none.
 */
export async function runPage(
  page: Page,
  service: PageService,
  signal?: AbortSignal,
): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), "snap-page-"));
  const directory = join(folder, "clone");
  await mkdir(directory);
  for (const name of CLONE_ENTRIES) await symlink(join(ROOT, name), join(directory, name));
  await symlink(service.dataDir, join(directory, "data"));
  const environment = readersEnvironment(service);
  const steps = readSteps(page).map((step) => withAddresses(step, service.port));
  const [first] = steps;
  const limit = AbortSignal.any([AbortSignal.timeout(PAGE_TIMEOUT_MS), ...(signal ? [signal] : [])]);
  const groups: ProcessGroup[] = [];
  const start = (script: string, cwd: string): ProcessGroup => {
    const group = startGroup(script, { directory: cwd, environment, signal: limit });
    groups.push(group);
    return group;
  };
  try {
    if (first !== undefined && START.test(first.command)) {
      // In the background, as in a second terminal, and in the real clone.
      const running = start(first.command, ROOT);
      const last = first.expected?.split("\n").findLast((line) => line.trim() !== "…") ?? STARTED;
      const ok = await running.printed((text) => matchesOutput(`…\n${last}\n…`, text));
      const problem = findProblem(first, { ok, output: running.output() });
      if (problem !== null) return problem;
      steps.shift();
    }
    const mark = `-- ${randomUUID()}`;
    const calls = steps.map(async ({ command }, index) => {
      const script = join(folder, `${index}.sh`);
      await writeFile(script, `${command}\n`);
      return `. '${script}'\nprintf '\\n%s\\n' '${mark}'`;
    });
    const shell = start((await Promise.all(calls)).join("\n"), directory);
    await shell.exited;
    await shell.end();
    // The part after the last mark is the output of the block that failed.
    const outputs = shell.output().split(`\n${mark}\n`);
    const problems = steps.map((step, index) =>
      findProblem(step, { ok: index < outputs.length - 1, output: outputs[index] ?? "" }),
    );
    return problems.find((problem) => problem !== null) ?? null;
  } finally {
    for (const group of groups) await group.end();
    await rm(folder, { recursive: true });
  }
}

interface StepResult {
  readonly ok: boolean;
  readonly output: string;
}

function findProblem({ location, command, expected }: Step, { ok, output }: StepResult): string | null {
  const found = `${command}\n--- actual\n${output.trim()}`;
  if (!ok) return `${location}: failed:\n${found}`;
  if (expected === null || matchesOutput(expected, output)) return null;
  return `${location}: unexpected output:\n${found}\n--- expected\n${expected}`;
}

/** Replaces addresses, which are percent-encoded within URLs. */
function withAddresses({ location, command, expected }: Step, port: number): Step {
  const put = (text: string): string =>
    text.replaceAll(/(127[.]0[.]0[.]1(?::|%3A))300([012])\b/g, (_, host: string, digit: string) => {
      return `${host}${port + Number(digit)}`;
    });
  return { location, command: put(command), expected: expected === null ? null : put(expected) };
}

/** Returns a reader's environment: the machine's tools, without those of this repository, and without our settings. */
function readersEnvironment(service: PageService): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|SNAP_(?!CHROMIUM_PATH))|^(CI|VITEST|NODE_ENV)$/.test(name),
  );
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.startsWith(ROOT));
  return {
    ...Object.fromEntries(inherited),
    ...service.variables,
    PATH: path.join(delimiter),
    // Suppress npm's warnings about the machine's settings, which no page shows.
    npm_config_loglevel: "error",
    npm_config_update_notifier: "false",
    SNAP_LOG_LEVEL: "warn", // hides the audit entries
    SNAP_PORT: String(service.port),
    SNAP_DATA_DIR: service.dataDir,
  };
}
