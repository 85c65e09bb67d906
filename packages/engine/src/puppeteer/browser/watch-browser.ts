import { sleep, abortable, withTimeout } from "../../timeouts.ts";
import type { ConnectedBrowser } from "./connected-browser.ts";
import type { LaunchedBrowser } from "./launch-browser.ts";
import type { KilledPages } from "./killed-pages.ts";
import { readProcessGroup } from "./process-group.ts";
import type { RendererEvent } from "../renderer-event.ts";

const MEMORY_INTERVAL_MS = 500;
/** One missed probe may only mean that the browser is busy. */
const PROBES_FAILED_MAX = 2;

export interface ProbeOptions {
  readonly probeIntervalMs: number;
  readonly probeTimeoutMs: number;
}

export interface WatchOptions extends ProbeOptions {
  readonly pageMemoryMaxBytes: number;
  readonly onEvent: (event: RendererEvent) => void;
}

/** A monitored local browser, and the pages of it that were killed. */
export interface WatchedBrowser {
  readonly launched: LaunchedBrowser;
  readonly killedPages: KilledPages;
}

/**
 * Resolves when the browser has missed two probes in a row; calls `onMissedProbe` at the first. Rejects when the
 * browser disconnects.
 */
export async function waitUntilUnresponsive(
  browser: ConnectedBrowser,
  options: ProbeOptions,
  onMissedProbe: () => void,
): Promise<void> {
  for (let failed = 0; failed < PROBES_FAILED_MAX;) {
    await sleep(browser.disconnected, options.probeIntervalMs);
    failed = (await respondsToProbe(browser, options.probeTimeoutMs)) ? 0 : failed + 1;
    if (failed === 1) onMissedProbe();
  }
}

/**
 * Kills a local browser that has become unresponsive. Kills its busiest page first: a page that floods the browser
 * must not take down the others. Resolves when the browser has exited.
 */
export async function probeBrowser(watched: WatchedBrowser, options: WatchOptions): Promise<void> {
  const { launched } = watched;
  await waitUntilUnresponsive(launched, options, () => killBusiestPage(watched, options));
  options.onEvent({ type: "browser-unresponsive", pid: launched.pid });
  await launched.kill();
}

function killBusiestPage({ launched, killedPages }: WatchedBrowser, { onEvent }: WatchOptions): void {
  const pages = readProcessGroup(launched.pid).filter((member) => member.isRenderer);
  const [busiest] = pages.toSorted((left, right) => right.cpuTicks - left.cpuTicks);
  if (busiest === undefined) return;
  onEvent({ type: "page-ended", pid: busiest.pid, reason: "busy" });
  killedPages.kill(busiest.pid, "The page made the browser unresponsive.");
}

async function respondsToProbe(
  { connection, disconnected }: ConnectedBrowser,
  durationMs: number,
): Promise<boolean> {
  const limit = { signal: disconnected, durationMs, reason: () => new Error("no response in time") };
  try {
    await withTimeout(limit, (signal) => abortable(signal, connection.send("Browser.getVersion")));
    return true;
  } catch {
    disconnected.throwIfAborted();
    return false;
  }
}

/**
 * Kills the process of a page that exceeds the memory limit, which the page sees as a crash. Reports the memory of the
 * browser's long-lived processes. Needs /proc.
 */
export async function watchMemory(
  { launched, killedPages }: WatchedBrowser,
  options: WatchOptions,
  onLongLivedBytes: (bytes: number) => void,
): Promise<void> {
  for (;;) {
    await sleep(launched.disconnected, MEMORY_INTERVAL_MS);
    let longLivedBytes = 0;
    for (const { pid, isRenderer, memoryBytes } of readProcessGroup(launched.pid)) {
      if (!isRenderer) longLivedBytes += memoryBytes;
      if (!isRenderer || memoryBytes <= options.pageMemoryMaxBytes) continue;
      options.onEvent({ type: "page-ended", pid, reason: "memory", memoryBytes });
      killedPages.kill(pid, "The page exceeded the memory limit.");
    }
    onLongLivedBytes(longLivedBytes);
  }
}
