import { pause, unless, within } from "./abort.ts";
import type { LaunchedBrowser } from "./launch-browser.ts";
import { readProcessGroup } from "./process-group.ts";
import type { RendererEvent } from "./renderer-event.ts";

const MEMORY_INTERVAL_MS = 500;
/** A browser that did not answer once may only have been busy. */
const PROBES_FAILED_MAX = 2;

export interface WatchOptions {
  readonly probeIntervalMs: number;
  readonly probeTimeoutMs: number;
  readonly pageMemoryMaxBytes: number;
  readonly onEvent: (event: RendererEvent) => void;
}

/** Ends a browser that has stopped answering. Resolves when the browser is gone. */
export async function probeBrowser(launched: LaunchedBrowser, options: WatchOptions): Promise<void> {
  for (let failed = 0; failed < PROBES_FAILED_MAX;) {
    await pause(launched.gone, options.probeIntervalMs);
    failed = (await answers(launched, options.probeTimeoutMs)) ? 0 : failed + 1;
  }
  options.onEvent({ type: "browser-unresponsive", pid: launched.pid });
  await launched.kill();
}

async function answers({ connection, gone }: LaunchedBrowser, durationMs: number): Promise<boolean> {
  const limit = { signal: gone, durationMs, reason: () => new Error("no answer in time") };
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
  launched: LaunchedBrowser,
  options: WatchOptions,
  tellLastingBytes: (bytes: number) => void,
): Promise<void> {
  for (;;) {
    await pause(launched.gone, MEMORY_INTERVAL_MS);
    let lastingBytes = 0;
    for (const { pid, isRenderer, memoryBytes } of readProcessGroup(launched.pid)) {
      if (!isRenderer) lastingBytes += memoryBytes;
      if (!isRenderer || memoryBytes <= options.pageMemoryMaxBytes) continue;
      process.kill(pid, "SIGKILL");
      options.onEvent({ type: "page-memory-exceeded", pid, memoryBytes });
    }
    tellLastingBytes(lastingBytes);
  }
}
