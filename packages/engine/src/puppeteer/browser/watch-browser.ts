import { TIMER_MAX_MS } from "../../option-values.ts";
import { sleep, abortable, withTimeout } from "../../timeouts.ts";
import type { ConnectedBrowser } from "./connected-browser.ts";

/** A single missed probe may only mean that the browser is busy. */
const PROBES_FAILED_MAX = 2;
/** A browser that takes longer to respond slows down every render in it. */
const RESPONSIVE_MS = 200;
/**
 * The timeout for an isolated or remote browser is longer by this factor. A large screenshot may block an isolated
 * browser for a long time, but delays no other account; a remote browser's response may queue behind a large file.
 */
const LONGER_TIMEOUT_FACTOR = 3;
/** Interval between two calls of `onSlow`, and between two probes of a slow browser. */
const SLOW_INTERVAL_MS = 500;

export interface ProbeOptions {
  readonly probeIntervalMs: number;
  readonly probeTimeoutMs: number;
}

/**
 * The command of a probe. `Browser.getVersion` only shows whether the main thread responds. `Storage.getCookies` also
 * passes through the network process and the I/O thread, which receives the messages of every page; `SharedParts` finds
 * the floods that stall pages there without delaying a probe. A remote browser gets only `Browser.getVersion`, because
 * its cookies may be its operator's; the service's own browsers keep none outside a render's context.
 */
export type ProbeCommand = "Browser.getVersion" | "Storage.getCookies";

/** Returns the options for an isolated or a remote browser. */
export function withLongerTimeout({ probeIntervalMs, probeTimeoutMs }: ProbeOptions): ProbeOptions {
  return { probeIntervalMs, probeTimeoutMs: Math.min(TIMER_MAX_MS, LONGER_TIMEOUT_FACTOR * probeTimeoutMs) };
}

/** Receives notifications about how fast a browser responds to probes. */
export interface ProbeListener {
  /**
   * A probe has had no response for `waitedMs`, or a late one after that time. Called every half second while a probe
   * has no response, and when it gets a late one or times out.
   */
  readonly onSlow: (waitedMs: number) => void;
  readonly onResponsive: () => void;
}

/** Resolves when the browser has missed two probes in a row. Rejects when it disconnects. */
export async function waitUntilUnresponsive(
  browser: ConnectedBrowser,
  { command, probeIntervalMs, probeTimeoutMs }: ProbeOptions & { readonly command: ProbeCommand },
  { onSlow, onResponsive }: ProbeListener,
): Promise<void> {
  let intervalMs = probeIntervalMs;
  for (let failed = 0; failed < PROBES_FAILED_MAX;) {
    await sleep(browser.disconnected, intervalMs);
    const sentAtMs = performance.now();
    const slowTimer = setInterval(() => onSlow(performance.now() - sentAtMs), SLOW_INTERVAL_MS);
    const response = sendProbe(browser, command, probeTimeoutMs);
    const responded = await response.finally(() => clearInterval(slowTimer));
    failed = responded ? 0 : failed + 1;
    const waitedMs = performance.now() - sentAtMs;
    const isResponsive = responded && waitedMs <= RESPONSIVE_MS;
    intervalMs = isResponsive ? probeIntervalMs : Math.min(probeIntervalMs, SLOW_INTERVAL_MS);
    if (isResponsive) onResponsive();
    else onSlow(waitedMs);
  }
}

async function sendProbe(
  { connection, disconnected }: ConnectedBrowser,
  command: ProbeCommand,
  durationMs: number,
): Promise<boolean> {
  const limit = { signal: disconnected, durationMs, reason: () => new Error("no response in time") };
  try {
    await withTimeout(limit, (signal) => abortable(signal, connection.send(command)));
    return true;
  } catch {
    disconnected.throwIfAborted();
    return false;
  }
}
