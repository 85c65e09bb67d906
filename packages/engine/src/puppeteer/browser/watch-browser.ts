import { sleep, abortable, withTimeout } from "../../timeouts.ts";
import type { ConnectedBrowser } from "./connected-browser.ts";

/** One missed probe may only mean that the browser is busy. */
const PROBES_FAILED_MAX = 2;
/** A browser that takes longer to respond is sluggish, and slows down every render in it. */
const PROMPT_MS = 300;
/**
 * An isolated or remote browser gets this much more time: a large capture may block it for long, but delays no other account
 * there, and the response of a remote one may queue behind a large file.
 */
const PATIENCE = 3;
/** Interval between two calls of `onSluggish`. */
const LOOK_INTERVAL_MS = 500;

export interface ProbeOptions {
  readonly probeIntervalMs: number;
  readonly probeTimeoutMs: number;
}

/** Returns the options for an isolated or a remote browser. */
export function withPatience({ probeIntervalMs, probeTimeoutMs }: ProbeOptions): ProbeOptions {
  return { probeIntervalMs, probeTimeoutMs: PATIENCE * probeTimeoutMs };
}

/** Called while probes of a browser are outstanding. */
export interface ProbeListener {
  /** The browser takes long to respond; called every half second until `onPrompt`. */
  readonly onSluggish: () => void;
  readonly onPrompt: () => void;
}

/** Resolves when the browser has missed two probes in a row. Rejects when it disconnects. */
export async function waitUntilUnresponsive(
  browser: ConnectedBrowser,
  { probeIntervalMs, probeTimeoutMs }: ProbeOptions,
  { onSluggish, onPrompt }: ProbeListener,
): Promise<void> {
  let intervalMs = probeIntervalMs;
  for (let failed = 0; failed < PROBES_FAILED_MAX;) {
    await sleep(browser.disconnected, intervalMs);
    const sentAtMs = performance.now();
    const look = setInterval(onSluggish, LOOK_INTERVAL_MS);
    const responded = await respondsToProbe(browser, probeTimeoutMs).finally(() => clearInterval(look));
    failed = responded ? 0 : failed + 1;
    const isPrompt = responded && performance.now() - sentAtMs <= PROMPT_MS;
    intervalMs = isPrompt ? probeIntervalMs : Math.min(probeIntervalMs, LOOK_INTERVAL_MS);
    if (isPrompt) onPrompt();
    else onSluggish();
  }
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
