import { OverloadDetector, type OverloadReading } from "./overload-detector.ts";
import { processesOf, type BrowserUsage } from "./page-usage.ts";
import { readThreadCpuMs } from "./process-group.ts";

/** On a busy machine, a GPU process that stalls every page gets little more than its fair share of a core. */
const GPU_BUSY_FRACTION = 0.25;
/**
 * The browser process's thread that exchanges messages with all pages. A flood of calls such as
 * `caches.open()` can keep it so busy that every page stalls, even long after the flooding page has
 * closed, while the browser still responds to its probes.
 */
const IO_THREAD = "Chrome_IOThread";
/** Of the whole browser's CPU time, because any thread uses less of a core on a busy machine. */
const IO_THREAD_FRACTION_OF_BROWSER = 0.12;
/** A thread that uses less of a core stalls no page. */
const IO_THREAD_BUSY_FRACTION = 0.05;

/** While no render finishes, a part that has been busy for this long is stalling every page. */
const GPU_OVERLOAD_MS = 4_000;
/**
 * Longer, because slow probes usually find the flooding pages first; then only their renders move
 * to isolated browsers.
 */
const IO_THREAD_OVERLOAD_MS = 5_000;

export type SharedPart = "GPU process" | "I/O thread";

interface SharedReading extends Omit<OverloadReading, "isBusy"> {
  /** Time since the previous reading. */
  readonly intervalMs: number;
}

/** The parts of a local browser on which one page can stall all others. */
export class SharedParts {
  readonly #browserPid: number;
  readonly #gpu = new OverloadDetector();
  readonly #ioThread = new OverloadDetector();
  #ioThreadCpuMs: number | null = null;

  constructor(browserPid: number) {
    this.#browserPid = browserPid;
  }

  /** Returns an overloaded part; `null` if there is none. */
  findOverloaded(usage: BrowserUsage<unknown>, { intervalMs, ...reading }: SharedReading): SharedPart | null {
    const ioThreadMs = this.#readIoThread();
    const isIoThreadBusy =
      ioThreadMs >= intervalMs * IO_THREAD_BUSY_FRACTION &&
      ioThreadMs >= browserCpuMs(usage) * IO_THREAD_FRACTION_OF_BROWSER;
    const isGpuBusy = gpuCpuMs(usage) >= intervalMs * GPU_BUSY_FRACTION;
    const gpuBusyMs = this.#gpu.update({ ...reading, isBusy: isGpuBusy });
    const ioThreadBusyMs = this.#ioThread.update({ ...reading, isBusy: isIoThreadBusy });
    if (ioThreadBusyMs >= IO_THREAD_OVERLOAD_MS) return "I/O thread";
    return gpuBusyMs >= GPU_OVERLOAD_MS ? "GPU process" : null;
  }

  /** Returns the I/O thread's CPU time since the previous reading; 0 if either one is missing. */
  #readIoThread(): number {
    const previousMs = this.#ioThreadCpuMs;
    this.#ioThreadCpuMs = readThreadCpuMs(this.#browserPid, IO_THREAD);
    return this.#ioThreadCpuMs === null || previousMs === null ? 0 : this.#ioThreadCpuMs - previousMs;
  }
}

/** Returns the GPU process's CPU time since the previous reading; 0 without a GPU process. */
function gpuCpuMs({ shared }: BrowserUsage<unknown>): number {
  return shared.find(({ role }) => role === "gpu")?.recentCpuMs ?? 0;
}

function browserCpuMs(usage: BrowserUsage<unknown>): number {
  return processesOf(usage).reduce((totalMs, { recentCpuMs }) => totalMs + recentCpuMs, 0);
}
