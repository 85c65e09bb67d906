import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import type { Browser } from "puppeteer";
import { connectPuppeteer } from "./connect-puppeteer.ts";
import type { ConnectedBrowser } from "./connected-browser.ts";
import { explainStartFailure } from "./explain-start-failure.ts";
import { launchArguments, type SandboxMode } from "./launch-arguments.ts";
import { createAutoAttachedPage, watchPages, watchSharedWorkers } from "../page/create-page.ts";
import { openPipeTransport } from "./pipe-transport.ts";
import type { ProtocolTransport } from "./protocol-transport.ts";
import { takeOverConnection } from "./take-over-connection.ts";
import { browserUser } from "./unprivileged-user.ts";
import { chromeUserAgent, withoutHeadless } from "./user-agent.ts";
import { sleep, abortable } from "../../timeouts.ts";

/** Product that headless-shell reports; Chrome and Chromium report `Chrome/…`, headless or not. */
const HEADLESS_SHELL = "HeadlessChrome/";
const LAUNCH_TIMEOUT_MS = 20_000;
const EXIT_TIMEOUT_MS = 2_000;
const VERSION_TIMEOUT_MS = 3_000;
/** The last output on stderr explains why a browser did not start. */
const STDERR_MAX_CHARACTERS = 4_096;

/**
 * Linux schedules a browser's session as one group, whatever the priority of its processes: see sched(7), autogroup. On
 * a kernel without such groups, /proc/self/autogroup is missing or empty. A second change within 0.1 s may be rejected.
 */
const LOWER_SESSION_PRIORITY = `if read -r group </proc/self/autogroup; then
  for attempt in 1 2 3; do echo 10 >/proc/self/autogroup && break; sleep 0.1; done
fi 2>/dev/null`;

/** Runs the browser at a lower priority than the service, which its pages would otherwise delay. */
const RUN = `${LOWER_SESSION_PRIORITY}
exec nice -n 10 "$@"`;

/**
 * Waits until this process has exited for any reason, then kills all of the browser's processes and removes its
 * profile. The browser would exit by itself when its pipe closes, but not while it is hanging or stopped by throttling.
 * The first removal may fail because an exiting process is still writing files.
 */
const CLEAN_UP_LATER = `trap '' TERM; read -r end; kill -s KILL -- "-$1"
for attempt in 1 2 3 4 5; do rm -rf "$2" && break; sleep 0.1; done`;

/** The only environment variables that the browser inherits: none of the server's secrets. */
const INHERITED_VARIABLES = [
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
  /** The user agent that pages send; `null` means Chrome's user agent for the same version. */
  readonly userAgent: string | null;
}

/** A local browser in its own process group; `kill` kills the group and removes the profile. */
export interface LaunchedBrowser extends ConnectedBrowser {
  /** Id of the first process and of the process group. */
  readonly pid: number;
  /** Product and version that it reports, such as `HeadlessChrome/156.0.0.0`. */
  readonly version: string;
}

/**
 * Starts a browser and connects to it through a pipe; `closing` aborts this.
 *
 * @throws Error whose message explains to the operator why it did not start.
 */
export async function launchBrowser(options: LaunchOptions, closing: AbortSignal): Promise<LaunchedBrowser> {
  const disconnected = new AbortController();
  let stderr = (): string => "";
  let kill = (): Promise<void> => Promise.resolve();
  try {
    const profileDir = await mkdtemp(join(tmpdir(), "snap-browser-"));
    kill = () => removeProfileDir(profileDir);
    const user = browserUser();
    if (user) await chown(profileDir, user.uid, user.gid);
    const userAgent =
      options.userAgent ?? chromeUserAgent(await readVersion({ ...options, profileDir }, closing));
    closing.throwIfAborted();
    const child = start({ ...options, userAgent, profileDir });
    const watcher = startWatcher(child, profileDir);
    const exited = watchExit({ child, watcher, disconnected, profileDir });
    stderr = captureStderr(child);
    kill = async () => {
      killGroup(child);
      await exited;
    };
    if (child.pid === undefined) {
      await exited;
      throw disconnected.signal.reason;
    }
    requireKillable(child.pid, child);
    const timeout = AbortSignal.timeout(LAUNCH_TIMEOUT_MS);
    const signal = AbortSignal.any([closing, disconnected.signal, timeout]);
    const transport = openPipeTransport({
      toBrowser: child.stdio[3] as Writable,
      fromBrowser: child.stdio[4] as Readable,
    });
    const browser = await abortable(signal, connectPuppeteer(transport));
    const connected = await abortable(signal, attachToPages(browser, transport, userAgent));
    browser.once("disconnected", () => {
      disconnected.abort(new Error("the connection to the browser closed"));
      killGroup(child);
    });
    return { pid: child.pid, ...connected, disconnected: disconnected.signal, kill };
  } catch (error) {
    const cause = await waitForCause(error, disconnected.signal);
    await kill();
    throw new Error(explainStartFailure({ ...options, cause, stderr: stderr() }), { cause: error });
  }
}

/** A browser that closes the pipe is about to exit, and its exit code explains more. */
async function waitForCause(error: unknown, disconnected: AbortSignal): Promise<unknown> {
  if (!(error instanceof Error) || error.name !== "TargetCloseError") return error;
  return sleep(disconnected, EXIT_TIMEOUT_MS).then(
    () => error,
    (reason: unknown) => reason,
  );
}

type LaunchOptionsWithProfile = LaunchOptions & { readonly profileDir: string };

/** Leaves a profile behind if it cannot be removed, for example because an exiting process keeps writing files. */
async function removeProfileDir(profileDir: string): Promise<void> {
  await rm(profileDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => {});
}

/**
 * Returns the product and version that the browser prints; empty if it prints none, in which case the running browser
 * must be queried instead.
 */
async function readVersion(
  { executablePath, profileDir }: LaunchOptionsWithProfile,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(executablePath, ["--version"], {
      ...browserUser(),
      cwd: profileDir,
      env: environment(profileDir),
      timeout: VERSION_TIMEOUT_MS,
      signal,
    });
    return stdout;
  } catch {
    return "";
  }
}

function start(options: LaunchOptionsWithProfile): ChildProcess {
  const { executablePath, profileDir } = options;
  const command = [executablePath, ...launchArguments(options)];
  return spawn("/bin/sh", ["-c", RUN, "sh", ...command], {
    ...browserUser(),
    cwd: profileDir,
    detached: true, // creates a process group, so all of the browser's processes can be killed
    env: environment(profileDir),
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
}

/** Starts a process that outlives this one, and detects this one's exit when standard input closes. */
function startWatcher(browser: ChildProcess, profileDir: string): ChildProcess {
  const watcher = spawn("/bin/sh", ["-c", CLEAN_UP_LATER, "sh", String(browser.pid), profileDir], {
    ...browserUser(),
    cwd: "/",
    detached: true, // not stopped with the browser, or by a signal from the terminal
    env: environment(profileDir),
    stdio: ["pipe", "ignore", "ignore"],
  });
  return watcher.on("error", () => {}); // the browser can run without it
}

function environment(profileDir: string): NodeJS.ProcessEnv {
  const inherited = INHERITED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(inherited), HOME: profileDir, TMPDIR: profileDir };
}

/** Aborts `disconnected` when the browser exits; resolves once its processes are killed and its profile is removed. */
async function watchExit(launch: {
  child: ChildProcess;
  watcher: ChildProcess;
  disconnected: AbortController;
  profileDir: string;
}): Promise<void> {
  const { child, watcher, disconnected, profileDir } = launch;
  const reason = await once(child, "exit").then(
    ([code, signal]) => new Error(`the browser exited (${signal ?? `exit code ${code}`})`),
    (error: Error) => error, // spawning failed
  );
  watcher.kill("SIGKILL");
  killGroup(child); // helpers may outlive the first process
  disconnected.abort(reason);
  await removeProfileDir(profileDir);
}

/** Rejects a browser that this process may not signal: it could exceed every limit. It exits when its pipes close. */
function requireKillable(pid: number, { stdio }: ChildProcess): void {
  try {
    process.kill(-pid, 0);
  } catch (error) {
    for (const pipe of stdio) pipe?.destroy();
    throw error;
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // the group has already exited
  }
}

function captureStderr(child: ChildProcess): () => string {
  let tail = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-STDERR_MAX_CHARACTERS);
  });
  return () => tail;
}

type AttachedBrowser = Omit<LaunchedBrowser, "pid" | "disconnected" | "kill">;

/**
 * New pages are paused only in headless-shell. Other builds open pop-ups, which would block their openers while paused,
 * and do not always report that a paused page failed to load.
 */
async function attachToPages(
  browser: Browser,
  transport: ProtocolTransport,
  requestedUserAgent: string | null,
): Promise<AttachedBrowser> {
  const [version, ownUserAgent] = await Promise.all([browser.version(), browser.userAgent()]);
  const text = requestedUserAgent ?? withoutHeadless(ownUserAgent);
  const pausesNewPages = version.startsWith(HEADLESS_SHELL);
  const connected = await takeOverConnection(browser, transport);
  const { connection, browserSession } = connected;
  await browserSession.send("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: pausesNewPages,
    flatten: true,
    filter: [{ type: "page" }, ...(pausesNewPages ? [{ type: "shared_worker" }] : [])],
  });
  return {
    version,
    userAgent: { text, isOverride: text !== ownUserAgent },
    connection,
    pausesNewPages,
    createPage: (request) => createAutoAttachedPage(connected, request),
    onPageOpened: watchPages(browserSession, "Target.attachedToTarget"),
    onSharedWorker: watchSharedWorkers(connected),
  };
}
