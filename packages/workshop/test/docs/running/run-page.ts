import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ROOT } from "../../../src/workspace.ts";
import type { Page } from "../../../src/docs/markdown.ts";
import { matchesOutput } from "./match-output.ts";
import { readSteps, type Step } from "./read-steps.ts";
import { endGroup, openShell, start, type Place, type Printed } from "./shell.ts";

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
 * Runs the commands on a page in order, in one bash, in a folder that looks like a clone. Stops at the first problem.
 *
 * @param service The running service, or the port and data folder for the page's own `npm start`.
 * @param signal Aborts the run, and stops all its processes.
 * @returns The problem, with its place on the page and the actual output; `null` if there was none.
 */
export async function runPage(
  page: Page,
  service: PageService,
  signal?: AbortSignal,
): Promise<string | null> {
  const place = await mkdtemp(join(tmpdir(), "snap-page-"));
  const directory = join(place, "clone");
  const scripts = join(place, "scripts");
  await mkdir(directory);
  await mkdir(scripts);
  for (const name of CLONE_ENTRIES) await symlink(join(ROOT, name), join(directory, name));
  await symlink(service.dataDir, join(directory, "data"));
  const environment = readersEnvironment(service);
  const shell = openShell({ directory, environment, signal }, scripts);
  const cleanups: (() => Promise<void>)[] = [() => shell.close()];
  try {
    for (const step of readSteps(page)) {
      const actual = { ...step, ...withAddresses(step, service.port) };
      const printed = START.test(step.command)
        ? await startService(actual, { directory: ROOT, environment, signal }, cleanups)
        : await shell.run(actual.command);
      const problem = findProblem(actual, printed);
      if (problem !== null) return problem;
    }
    return null;
  } finally {
    for (const cleanUp of cleanups) await cleanUp();
    await rm(place, { recursive: true });
  }
}

/** Starts the service in the background, as a second terminal would, and in the real clone. */
async function startService(
  { command, expected }: Step,
  place: Place,
  cleanups: (() => Promise<void>)[],
): Promise<Printed> {
  const { child, output } = start("bash", ["-c", command], place);
  cleanups.push(() => endGroup(child));
  const last = expected?.split("\n").findLast((line) => line.trim() !== "…") ?? STARTED;
  const ok = await output.until((text) => matchesOutput(`…\n${last}\n…`, text));
  return { ok, output: output.text() };
}

function findProblem({ place, command, expected }: Step, { ok, output }: Printed): string | null {
  const found = `${command}\n--- actual\n${output.trim()}`;
  if (!ok) return `${place}: failed:\n${found}`;
  if (expected === null || matchesOutput(expected, output)) return null;
  return `${place}: unexpected output:\n${found}\n--- expected\n${expected}`;
}

/** Replaces addresses, which are percent-encoded within URLs. */
function withAddresses({ command, expected }: Step, port: number): Pick<Step, "command" | "expected"> {
  const put = (text: string): string =>
    text.replaceAll(/(127[.]0[.]0[.]1(?::|%3A))300([012])\b/g, (_, host: string, digit: string) => {
      return `${host}${port + Number(digit)}`;
    });
  return { command: put(command), expected: expected === null ? null : put(expected) };
}

/** Returns a reader's environment: the machine's tools, without those of this repository, and without our settings. */
export function readersEnvironment(service: PageService): NodeJS.ProcessEnv {
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
