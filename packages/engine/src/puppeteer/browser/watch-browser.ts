import { pause, unless, within } from "../../timeouts.ts";
import type { ConnectedBrowser } from "./connected-browser.ts";
import type { LaunchedBrowser } from "./launch-browser.ts";
import type { PageEnds } from "./page-ends.ts";
import { readProcessGroup } from "./process-group.ts";
import type { RendererEvent } from "../renderer-event.ts";

const MEMORY_INTERVAL_MS = 500;
/** A browser that did not answer once may only have been busy. */
const PROBES_FAILED_MAX = 2;

export interface ProbeOptions {
  readonly probeIntervalMs: number;
  readonly probeTimeoutMs: number;
}

export interface WatchOptions extends ProbeOptions {
  readonly pageMemoryMaxBytes: number;
  readonly onEvent: (event: RendererEvent) => void;
}

/** A browser of ours under watch, and the pages of it that had to be ended. */
export interface Watched {
  readonly launched: LaunchedBrowser;
  readonly pageEnds: PageEnds;
}

/**
 * Resolves when the browser has stopped answering; `onSilence` is told when it first did not. Rejects
 * when the browser is gone.
 */
export async function awaitSilence(
  browser: ConnectedBrowser,
  options: ProbeOptions,
  onSilence: () => void,
): Promise<void> {
  for (let failed = 0; failed < PROBES_FAILED_MAX;) {
    await pause(browser.gone, options.probeIntervalMs);
    failed = (await answers(browser, options.probeTimeoutMs)) ? 0 : failed + 1;
    if (failed === 1) onSilence();
  }
}

/**
 * Ends a browser of ours that has stopped answering. Before that the busiest page goes: one page that
 * floods the browser must not take the others with it. Resolves when the browser is gone.
 */
export async function probeBrowser(watched: Watched, options: WatchOptions): Promise<void> {
  const { launched } = watched;
  await awaitSilence(launched, options, () => endBusiestPage(watched, options));
  options.onEvent({ type: "browser-unresponsive", pid: launched.pid });
  await launched.kill();
}

function endBusiestPage({ launched, pageEnds }: Watched, { onEvent }: WatchOptions): void {
  const pages = readProcessGroup(launched.pid).filter((member) => member.isRenderer);
  const [busiest] = pages.toSorted((left, right) => right.cpuTicks - left.cpuTicks);
  if (busiest === undefined) return;
  onEvent({ type: "page-ended", pid: busiest.pid, reason: "busy" });
  pageEnds.end(busiest.pid, "The page made the browser unresponsive.");
}

async function answers({ connection, gone }: ConnectedBrowser, durationMs: number): Promise<boolean> {
  const limit = { signal: gone, durationMs, reason: () => new Error("no response in time") };
  try {
    await within(limit, (signal) => unless(signal, connection.send("Browser.getVersion")));
    return true;
  } catch {
    gone.throwIfAborted();
    return false;
  }
}

/**
 * Ends the process of a page that takes more memory than it may; for the page that is a crash.
 * Tells what the processes that stay hold together. Works where there is a /proc.
 */
export async function watchMemory(
  { launched, pageEnds }: Watched,
  options: WatchOptions,
  tellLastingBytes: (bytes: number) => void,
): Promise<void> {
  for (;;) {
    await pause(launched.gone, MEMORY_INTERVAL_MS);
    let lastingBytes = 0;
    for (const { pid, isRenderer, memoryBytes } of readProcessGroup(launched.pid)) {
      if (!isRenderer) lastingBytes += memoryBytes;
      if (!isRenderer || memoryBytes <= options.pageMemoryMaxBytes) continue;
      options.onEvent({ type: "page-ended", pid, reason: "memory", memoryBytes });
      pageEnds.end(pid, "The page exceeded the memory limit.");
    }
    tellLastingBytes(lastingBytes);
  }
}
