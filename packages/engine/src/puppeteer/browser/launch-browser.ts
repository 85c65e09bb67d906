import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { connect, type Browser } from "puppeteer";
import type { ConnectedBrowser } from "./connected-browser.ts";
import { explainStartFailure } from "./explain-start-failure.ts";
import { launchArguments, type SandboxMode } from "./launch-arguments.ts";
import { awaitPage, watchSharedWorkers } from "../page/make-page.ts";
import { openPipeTransport } from "./pipe-transport.ts";
import { takeOverConnection } from "./take-over-connection.ts";
import { browserUser } from "./unprivileged-user.ts";
import { pause, unless } from "../../timeouts.ts";

/** What it calls itself; Chrome and Chromium are `Chrome/…`, without a window too. */
const HEADLESS_SHELL = "HeadlessChrome/";
const LAUNCH_TIMEOUT_MS = 20_000;
const EXIT_TIMEOUT_MS = 2_000;
/** Longer than any render: a call to a browser that hangs does not wait for ever. */
const PROTOCOL_TIMEOUT_MS = 180_000;
/** The end of what the browser wrote to stderr, kept to say why it did not start. */
const STDERR_KEPT_CHARACTERS = 4_096;

/**
 * When our own process is killed, the pipe closes and the browser ends by itself; this removes its
 * profile, which nobody else then would.
 */
const RUN_AND_TIDY = 'profile=$1; shift; "$@"; status=$?; rm -rf "$profile"; exit $status';

/** The only variables of ours that the browser sees; the server's secrets are not among them. */
const ENVIRONMENT_PASSED = [
  "PATH",
  "LANG",
  "LC_ALL",
  "LANGUAGE",
  "TZ",
  "FONTCONFIG_FILE",
  "FONTCONFIG_PATH",
  "LD_LIBRARY_PATH",
];

export interface LaunchOptions {
  readonly executablePath: string;
  readonly sandbox: SandboxMode;
}

/** A running browser of ours, in a process group of its own; `kill` ends the whole group and removes its profile. */
export interface LaunchedBrowser extends ConnectedBrowser {
  /** Of the first process; also the id of the group. */
  readonly pid: number;
}

/** Starts a browser and connects to it over a pipe; rejects with the reason when that fails. */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  const profileDir = await makeProfileDir();
  const gone = new AbortController();
  let stderr = (): string => "";
  let kill = (): Promise<void> => removeProfileDir(profileDir);
  try {
    const child = start({ ...options, profileDir });
    const exited = watchExit({ child, gone, profileDir });
    stderr = keepStderr(child);
    kill = async () => {
      killGroup(child);
      await exited;
    };
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(LAUNCH_TIMEOUT_MS)]);
    const browser = await unless(signal, connectTo(child));
    const connected = await unless(signal, attachToPages(browser));
    browser.once("disconnected", () => {
      gone.abort(new Error("the connection to the browser closed"));
      killGroup(child);
    });
    return { pid: child.pid ?? 0, ...connected, gone: gone.signal, kill };
  } catch (error) {
    const cause = await causeOf(error, gone.signal);
    await kill();
    throw new Error(explainStartFailure({ ...options, cause, stderr: stderr() }), { cause: error });
  }
}

/** A browser that closes its end of the pipe is about to exit; how it does says more. */
async function causeOf(error: unknown, gone: AbortSignal): Promise<unknown> {
  if (!(error instanceof Error) || error.name !== "TargetCloseError") return error;
  return pause(gone, EXIT_TIMEOUT_MS).then(
    () => error,
    (reason: unknown) => reason,
  );
}

async function makeProfileDir(): Promise<string> {
  const profileDir = await mkdtemp(join(tmpdir(), "snap-browser-"));
  const user = browserUser();
  if (user) await chown(profileDir, user.uid, user.gid);
  return profileDir;
}

async function removeProfileDir(profileDir: string): Promise<void> {
  // a process that is just ending may still write
  await rm(profileDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

function start(options: LaunchOptions & { profileDir: string }): ChildProcess {
  const { executablePath, profileDir } = options;
  const command = [profileDir, executablePath, ...launchArguments(options)];
  return spawn("/bin/sh", ["-c", RUN_AND_TIDY, "sh", ...command], {
    ...browserUser(),
    cwd: profileDir,
    detached: true, // a process group of its own, so that all of it can be ended
    env: environment(profileDir),
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
}

function environment(profileDir: string): NodeJS.ProcessEnv {
  const passed = ENVIRONMENT_PASSED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(passed), HOME: profileDir, TMPDIR: profileDir };
}

/** Settles when nothing of the browser is left; `gone` aborts on the way. */
async function watchExit(facts: {
  child: ChildProcess;
  gone: AbortController;
  profileDir: string;
}): Promise<void> {
  const { child, gone, profileDir } = facts;
  const reason = await once(child, "exit").then(
    ([code, signal]) => new Error(`the browser exited (${signal ?? `exit code ${code}`})`),
    (error: Error) => error, // it could not be spawned
  );
  killGroup(child); // helpers may outlive the first process
  gone.abort(reason);
  await removeProfileDir(profileDir);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // the group has ended already
  }
}

function keepStderr(child: ChildProcess): () => string {
  let kept = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    kept = (kept + text).slice(-STDERR_KEPT_CHARACTERS);
  });
  return () => kept;
}

function connectTo(child: ChildProcess): Promise<Browser> {
  return connect({
    transport: openPipeTransport({
      toBrowser: child.stdio[3] as Writable,
      fromBrowser: child.stdio[4] as Readable,
    }),
    defaultViewport: null,
    protocolTimeout: PROTOCOL_TIMEOUT_MS,
    targetFilter: () => false,
  });
}

/**
 * headless-shell holds each page until it is let go. Other builds could, but they open pop-ups, which
 * would hold their openers, and don't always tell when a held page has stopped on its way.
 */
async function attachToPages(
  browser: Browser,
): Promise<Pick<LaunchedBrowser, "connection" | "makePage" | "onSharedWorker" | "holdsPages">> {
  const holdsPages = (await browser.version()).startsWith(HEADLESS_SHELL);
  const { connection, pages } = await takeOverConnection(browser);
  await pages.send("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: holdsPages,
    flatten: true,
    filter: [{ type: "page" }, ...(holdsPages ? [{ type: "shared_worker" }] : [])],
  });
  return {
    connection,
    holdsPages,
    makePage: (request) => awaitPage(pages, request),
    onSharedWorker: watchSharedWorkers(pages),
  };
}
