import { PageEnded, TabSuspected, type PageEndReason } from "../page/page-end.ts";
import type { Tab } from "../page/tab.ts";
import type { RendererEvent } from "../renderer-event.ts";
import { FloodDetector } from "./flood-detector.ts";
import type { LaunchedBrowser } from "./launch-browser.ts";
import { UsageMeter, type BrowserUsage, type PageUsage, type ProcessUsage } from "./page-usage.ts";
import type { ProcessGroup } from "./process-group.ts";
import type { RenderingBrowser } from "./rendering-browser.ts";
import { waitUntilUnresponsive, withPatience, type ProbeOptions } from "./watch-browser.ts";

const MIB = 1024 ** 2;

/** Above either, it matters which page a process belongs to. */
const NOTABLE_CPU_MS = 500;
const NOTABLE_BYTES = 64 * MIB;
/** Part of the memory limit by which a page may grow the shared processes before it is suspected, which costs only a retry. */
const SUSPICIOUS_MEMORY_PART = 1 / 4;
/** A GPU process that takes this much of a processor for this long, while no render finishes, blocks every page. */
const GRAPHICS_BUSY_SHARE = 0.6;
const GRAPHICS_STALL_MS = 4_000;

export interface MonitorOptions extends ProbeOptions {
  readonly pageMemoryMaxBytes: number;
  readonly pageCpuMaxMs: number;
  readonly onEvent: (event: RendererEvent) => void;
}

export interface BrowserParts {
  readonly launched: LaunchedBrowser;
  readonly rendering: RenderingBrowser;
  readonly group: ProcessGroup;
  /** Whether only one account uses the browser, so that its pages are to blame for whatever harms it. */
  readonly isIsolated: boolean;
}

/** Why a page must not continue. */
interface Offence {
  readonly reason: "memory" | "processor-time";
  /** For the caller. */
  readonly message: string;
  /** Whether its own processes prove it. */
  readonly isCertain: boolean;
}

const SUSPICIONS = {
  memory: "the page is suspected of taking up the browser's memory",
  "processor-time": "the page is suspected of taking up the browser's time",
  flood: "the page is suspected of flooding the browser",
} as const satisfies Partial<Record<PageEndReason, string>>;

const UNRESPONSIVE = "The browser stopped responding: a page of the account overloads it.";

/**
 * Keeps the pages of a local browser within their limits.
 *
 * What a page's own processes use is certain; which page a shared process works for is not. So a page that is suspected
 * in a shared browser is rendered again in an isolated one, and ended only if it does the same there.
 */
export class MonitoredBrowser {
  readonly #parts: BrowserParts;
  readonly #options: MonitorOptions;
  readonly #meter = new UsageMeter<Tab>();
  readonly #floods = new FloodDetector();
  #latest: BrowserUsage<Tab> | null = null;
  #graphicsBusy: { readonly sinceMs: number; readonly finishedRenders: number } | null = null;

  constructor(parts: BrowserParts, options: MonitorOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  get group(): ProcessGroup {
    return this.#parts.group;
  }

  get isIsolated(): boolean {
    return this.#parts.isIsolated;
  }

  get isRendering(): boolean {
    return this.#parts.rendering.activeRenders > 0;
  }

  /** Reads what the pages use, and ends those that exceed a limit. Needs /proc. */
  read(durationMs: number): BrowserUsage<Tab> {
    const { rendering, group } = this.#parts;
    const usage = this.#meter.update(group.read(), rendering.tabsInUse);
    this.#latest = usage;
    rendering.setLongLivedBytes(usage.shared.reduce((bytes, { memoryBytes }) => bytes + memoryBytes, 0));
    this.#findProcesses(usage);
    for (const page of [...usage.pages, usage.unknown]) this.#enforceLimits(page);
    if (this.#isStalledByGraphics(usage.shared, durationMs))
      void this.#replace("a page has blocked graphics");
    return usage;
  }

  /** Kills the browser if it becomes unresponsive. Resolves or rejects when it has exited. */
  async probe(): Promise<void> {
    const { launched, isIsolated } = this.#parts;
    const options = isIsolated ? withPatience(this.#options) : this.#options;
    await waitUntilUnresponsive(launched, options, {
      onSluggish: () => this.#suspectFloods(),
      onPrompt: () => this.#floods.reset(),
    });
    this.#options.onEvent({ type: "browser-unresponsive", pid: launched.pid });
    await this.#replace("the browser stopped responding");
  }

  #findProcesses({ pages, unknown }: BrowserUsage<Tab>): void {
    const processes = [...pages, unknown].flatMap((page) =>
      page.processes.map((process) => ({ ...process, isKnown: page.page !== null })),
    );
    const isNotable = processes.some(
      ({ isKnown, cpuMs, memoryBytes }) =>
        !isKnown && (cpuMs >= NOTABLE_CPU_MS || memoryBytes >= NOTABLE_BYTES),
    );
    if (!isNotable) return;
    const running = new Set(processes.map(({ pid }) => pid));
    for (const tab of this.#parts.rendering.tabsInUse) tab.processes.find(running);
  }

  #enforceLimits(page: PageUsage<Tab>): void {
    const { pageMemoryMaxBytes: bytesMax, pageCpuMaxMs: cpuMaxMs } = this.#options;
    const sharedBytesMax = this.#parts.isIsolated ? bytesMax : bytesMax * SUSPICIOUS_MEMORY_PART;
    if (page.ownBytes + page.sharedBytes > bytesMax || page.sharedBytes > sharedBytesMax) {
      const message = `The page used more than ${Math.round(bytesMax / MIB)} MiB of memory.`;
      const processes = largest(page.processes, ({ memoryBytes }) => memoryBytes);
      const isCertain = certainBytes(page, processes) > bytesMax;
      this.#end(page, { reason: "memory", message, isCertain }, processes);
    } else if (page.ownCpuMs + page.sharedCpuMs > cpuMaxMs) {
      const message = `The page used more than ${cpuMaxMs / 1000} s of processor time.`;
      const processes = largest(page.processes, ({ cpuMs }) => cpuMs);
      const isCertain = certainCpuMs(page, processes) > cpuMaxMs;
      this.#end(page, { reason: "processor-time", message, isCertain }, processes);
    }
  }

  /** An isolated browser may be flooded: that delays no other account. */
  #suspectFloods(): void {
    if (this.#parts.isIsolated) return;
    const pages = this.#latest === null ? [] : [...this.#latest.pages, this.#latest.unknown];
    const pids = pages.flatMap(({ processes }) => processes.map(({ pid }) => pid));
    const flooding = new Set(this.#floods.look(pids, performance.now()));
    for (const page of pages) {
      const processes = page.processes.filter(({ pid }) => flooding.has(pid));
      if (processes.length > 0) this.#stop(page, new TabSuspected(SUSPICIONS.flood), processes);
    }
  }

  #end(usage: PageUsage<Tab>, offence: Offence, processes: readonly ProcessUsage[]): void {
    const { reason, message, isCertain } = offence;
    const error =
      this.#parts.isIsolated || isCertain
        ? new PageEnded(reason, message, describeUsage(usage, processes))
        : new TabSuspected(SUSPICIONS[reason]);
    this.#stop(usage, error, processes);
  }

  /** @param processes - Killed if their page is not known: it is the one that crashes next. */
  #stop(usage: PageUsage<Tab>, reason: PageEnded | TabSuspected, processes: readonly ProcessUsage[]): void {
    const { rendering, group } = this.#parts;
    if (usage.page !== null) return usage.page.end(reason);
    rendering.host.killedProcesses.record(reason);
    for (const { pid } of processes) group.signal(pid, "SIGKILL");
  }

  #isStalledByGraphics(shared: readonly ProcessUsage[], durationMs: number): boolean {
    const { rendering, isIsolated } = this.#parts;
    const { finishedRenders } = rendering;
    const gpu = shared.find(({ role }) => role === "gpu");
    const isBusy = gpu !== undefined && gpu.recentCpuMs >= durationMs * GRAPHICS_BUSY_SHARE;
    const nowMs = performance.now();
    if (!isBusy || isIsolated || rendering.activeRenders === 0) this.#graphicsBusy = null;
    else if (this.#graphicsBusy?.finishedRenders !== finishedRenders)
      this.#graphicsBusy = { sinceMs: nowMs, finishedRenders };
    return this.#graphicsBusy !== null && nowMs - this.#graphicsBusy.sinceMs >= GRAPHICS_STALL_MS;
  }

  /** Kills the browser. The renders of a shared one are repeated, in an isolated browser for each account. */
  async #replace(reason: string): Promise<void> {
    const { launched, rendering, isIsolated } = this.#parts;
    for (const tab of rendering.tabsInUse)
      tab.end(isIsolated ? new PageEnded("flood", UNRESPONSIVE, reason) : new TabSuspected(reason));
    await launched.kill();
  }
}

function largest(
  processes: readonly ProcessUsage[],
  sizeOf: (process: ProcessUsage) => number,
): readonly ProcessUsage[] {
  return processes.toSorted((left, right) => sizeOf(right) - sizeOf(left)).slice(0, 1);
}

/** Processes whose page is not known may belong to several pages, so only one of them proves anything. */
function certainBytes({ page, ownBytes }: PageUsage<Tab>, [process]: readonly ProcessUsage[]): number {
  return page === null ? (process?.memoryBytes ?? 0) : ownBytes;
}

function certainCpuMs({ page, ownCpuMs }: PageUsage<Tab>, [process]: readonly ProcessUsage[]): number {
  return page === null ? (process?.cpuMs ?? 0) : ownCpuMs;
}

/** Returns a line for the log, such as `300 MiB and 20.1 s, 10 MiB and 0.2 s of shared processes; process 4711`. */
function describeUsage(
  { ownBytes, ownCpuMs, sharedBytes, sharedCpuMs }: PageUsage<Tab>,
  processes: readonly ProcessUsage[],
): string {
  const format = (bytes: number, cpuMs: number): string =>
    `${Math.round(bytes / MIB)} MiB and ${(cpuMs / 1000).toFixed(1)} s`;
  const pids = processes.map(({ pid }) => pid).join(", ");
  return `${format(ownBytes, ownCpuMs)}, ${format(sharedBytes, sharedCpuMs)} of shared processes; process ${pids}`;
}
