import { PageEnded, TabSuspected, type PageEndReason } from "../page/page-end.ts";
import type { Tab } from "../page/tab.ts";
import type { RendererEvent } from "../renderer-event.ts";
import { FloodDetector } from "./flood-detector.ts";
import type { LaunchedBrowser } from "./launch-browser.ts";
import { UsageMeter, type BrowserUsage, type PageUsage, type ProcessUsage } from "./page-usage.ts";
import type { ProcessGroup } from "./process-group.ts";
import type { RenderingBrowser } from "./rendering-browser.ts";
import { SharedParts, type SharedPart } from "./shared-parts.ts";
import { waitUntilUnresponsive, withLongerTimeout, type ProbeOptions } from "./watch-browser.ts";

const MIB = 1024 ** 2;

/** An unknown page's process that reaches either of these triggers a query for the processes of all pages. */
const NOTABLE_CPU_MS = 500;
const NOTABLE_BYTES = 64 * MIB;
/**
 * Fraction of the memory limit by which a page can grow the shared processes before it is suspected. Low, because a
 * false suspicion costs only a retry, and ten minutes in an isolated browser.
 */
const SUSPICIOUS_MEMORY_FRACTION = 1 / 4;

/**
 * The browser encodes screenshots on the thread that serves every page. A page whose screenshot has at least this size
 * is suspected if the browser does not respond for this long.
 */
const LARGE_SCREENSHOT_PIXELS = 16_000_000;
const BLOCKED_MS = 500;

export interface MonitorOptions extends ProbeOptions {
  readonly pageMemoryMaxBytes: number;
  readonly pageCpuMaxMs: number;
  readonly onEvent: (event: RendererEvent) => void;
}

/** A local browser to monitor. */
export interface RunningBrowser {
  readonly launched: LaunchedBrowser;
  readonly renderingBrowser: RenderingBrowser;
  readonly group: ProcessGroup;
  /** Whether only one account uses the browser; if so, its pages are to blame for any harm to it. */
  readonly isIsolated: boolean;
}

/** The time between two readings of the processes. */
export interface Interval {
  readonly intervalMs: number;
  /** Whether there were no readings because no page was rendered. */
  readonly wasPaused: boolean;
}

/** Why a page must be ended. */
interface LimitViolation {
  readonly reason: "memory" | "processor-time";
  /** For the caller. */
  readonly message: string;
  /** Whether the page's own processes alone exceed the limit. */
  readonly isCertain: boolean;
  /** The process that uses the most; `undefined` if the page has none. */
  readonly largest: ProcessUsage | undefined;
}

const SUSPICIONS = {
  memory: "the page is suspected of using too much of the browser's memory",
  "processor-time": "the page is suspected of using too much of the browser's CPU time",
  flood: "the page is suspected of flooding the browser",
} as const satisfies Partial<Record<PageEndReason, string>>;

const BLOCKED = "the page is suspected of blocking the browser with a large screenshot";

const UNRESPONSIVE = "The browser stopped responding: one of this account's pages overloaded it.";

/**
 * Keeps a local browser's pages within their limits.
 *
 * It is certain how much a page's own processes use, but not which page a shared process is working for. So a page that
 * is suspected in a shared browser is rendered again in an isolated one, and ended only if it does the same there.
 */
export class MonitoredBrowser {
  readonly #browser: RunningBrowser;
  readonly #options: MonitorOptions;
  readonly #meter = new UsageMeter<Tab>();
  readonly #floodDetector = new FloodDetector();
  readonly #sharedParts: SharedParts;
  #latest: BrowserUsage<Tab> | null = null;

  constructor(browser: RunningBrowser, options: MonitorOptions) {
    this.#browser = browser;
    this.#sharedParts = new SharedParts(browser.launched.pid);
    this.#options = options;
  }

  get group(): ProcessGroup {
    return this.#browser.group;
  }

  get isIsolated(): boolean {
    return this.#browser.isIsolated;
  }

  get isRendering(): boolean {
    return this.#browser.renderingBrowser.activeRenders > 0;
  }

  /**
   * Ends the pages that exceed a limit, and kills the browser if a part that all its pages share is
   * overloaded. Needs /proc.
   *
   * @returns The usage of the browser's pages and processes, in total and since the previous call.
   */
  enforceLimits({ intervalMs, wasPaused }: Interval): BrowserUsage<Tab> {
    const { renderingBrowser, group } = this.#browser;
    const usage = this.#meter.update(group.read(), renderingBrowser.tabsInUse, wasPaused);
    this.#latest = usage;
    renderingBrowser.setLongLivedBytes(
      usage.shared.reduce((bytes, { memoryBytes }) => bytes + memoryBytes, 0),
    );
    this.#attributeProcesses(usage);
    for (const page of usage.pages) this.#enforcePageLimits(page);
    const overloaded = this.#findOverloadedPart(usage, intervalMs);
    if (overloaded !== null) void this.#kill(`the ${overloaded} is overloaded`);
    return usage;
  }

  /** Kills the browser if it becomes unresponsive. Settles when the browser has exited. */
  async probe(): Promise<void> {
    const { launched, isIsolated } = this.#browser;
    const options = isIsolated ? withLongerTimeout(this.#options) : this.#options;
    const probe = { ...options, command: "Storage.getCookies" } as const;
    await waitUntilUnresponsive(launched, probe, {
      onSlow: (waitedMs) => {
        this.#suspectFloods();
        if (waitedMs >= BLOCKED_MS) this.#suspectLargeScreenshots();
      },
      onResponsive: () => this.#floodDetector.reset(),
    });
    this.#options.onEvent({ type: "browser-unresponsive", pid: launched.pid });
    await this.#kill("the browser stopped responding");
  }

  /**
   * Queries the processes of all pages if a notable process's page is unknown; a later reading uses the result.
   */
  #attributeProcesses({ pages }: BrowserUsage<Tab>): void {
    const processes = pages.flatMap((page) =>
      page.processes.map((process) => ({ ...process, isKnown: page.page !== null })),
    );
    const hasNotable = processes.some(
      ({ isKnown, cpuMs, memoryBytes }) =>
        !isKnown && (cpuMs >= NOTABLE_CPU_MS || memoryBytes >= NOTABLE_BYTES),
    );
    if (!hasNotable) return;
    const running = new Set(processes.map(({ pid }) => pid));
    for (const tab of this.#browser.renderingBrowser.tabsInUse) tab.processes.identify(running);
  }

  #enforcePageLimits(page: PageUsage<Tab>): void {
    const { pageMemoryMaxBytes: bytesMax, pageCpuMaxMs: cpuMaxMs } = this.#options;
    const sharedBytesMax = this.#browser.isIsolated ? bytesMax : bytesMax * SUSPICIOUS_MEMORY_FRACTION;
    if (page.ownBytes + page.sharedBytes > bytesMax || page.sharedBytes > sharedBytesMax) {
      const message = `The page used more than ${Math.round(bytesMax / MIB)} MiB of memory.`;
      const largest = largestOf(page.processes, ({ memoryBytes }) => memoryBytes);
      const isCertain = certainBytes(page, largest) > bytesMax;
      this.#end(page, { reason: "memory", message, isCertain, largest });
    } else if (page.ownCpuMs + page.sharedCpuMs > cpuMaxMs) {
      const message = `The page used more than ${cpuMaxMs / 1000} s of CPU time.`;
      const largest = largestOf(page.processes, ({ cpuMs }) => cpuMs);
      const isCertain = certainCpuMs(page, largest) > cpuMaxMs;
      this.#end(page, { reason: "processor-time", message, isCertain, largest });
    }
  }

  /** An isolated browser may be flooded, because that delays no other account. */
  #suspectFloods(): void {
    if (this.#browser.isIsolated) return;
    const pages = this.#latest?.pages ?? [];
    const pids = pages.flatMap(({ processes }) => processes.map(({ pid }) => pid));
    const floodingPids = new Set(this.#floodDetector.sample(pids, performance.now()));
    for (const page of pages) {
      const processes = page.processes.filter(({ pid }) => floodingPids.has(pid));
      if (processes.length > 0) this.#stop(page, new TabSuspected(SUSPICIONS.flood), processes);
    }
  }

  /** Moves large screenshots to an isolated browser if they delay other renders. */
  #suspectLargeScreenshots(): void {
    const { renderingBrowser, isIsolated } = this.#browser;
    if (isIsolated) return;
    const tabs = [...renderingBrowser.tabsInUse];
    const largestPixels = Math.max(0, ...tabs.map(({ channel }) => channel.capturedPixels));
    const minPixels = Math.max(LARGE_SCREENSHOT_PIXELS, largestPixels / 2);
    const capturing = tabs.filter(({ channel }) => channel.capturedPixels >= minPixels);
    if (capturing.length === renderingBrowser.activeRenders) return;
    for (const tab of capturing) tab.end(new TabSuspected(BLOCKED));
  }

  #end(usage: PageUsage<Tab>, { reason, message, isCertain, largest }: LimitViolation): void {
    const { isIsolated, renderingBrowser } = this.#browser;
    // the processes of unknown pages may belong to several of the account's renders
    const isOnePage = usage.page !== null || renderingBrowser.activeRenders === 1;
    const error =
      isCertain || (isIsolated && isOnePage)
        ? new PageEnded(reason, message, describeUsage(usage, largest))
        : new TabSuspected(SUSPICIONS[reason]);
    this.#stop(usage, error, largest === undefined ? [] : [largest]);
  }

  /** @param processes - Killed if their page is unknown, which ends the page when the browser reports its crash. */
  #stop(usage: PageUsage<Tab>, reason: PageEnded | TabSuspected, processes: readonly ProcessUsage[]): void {
    const { renderingBrowser, group } = this.#browser;
    if (usage.page !== null) return usage.page.end(reason);
    for (const { pid } of processes) {
      renderingBrowser.host.killedProcesses.record(pid, reason);
      group.signal(pid, "SIGKILL");
    }
  }

  /** An isolated browser may be overloaded, because that delays no other account. */
  #findOverloadedPart(usage: BrowserUsage<Tab>, intervalMs: number): SharedPart | null {
    const { isIsolated, renderingBrowser } = this.#browser;
    if (isIsolated) return null;
    return this.#sharedParts.findOverloaded(usage, {
      atMs: performance.now(),
      intervalMs,
      isRendering: this.isRendering,
      finishedRenders: renderingBrowser.finishedRenders,
    });
  }

  /** Kills the browser. The renders of a shared one are retried, in an isolated browser for each account. */
  async #kill(reason: string): Promise<void> {
    const { launched, renderingBrowser, isIsolated } = this.#browser;
    for (const tab of renderingBrowser.tabsInUse)
      tab.end(isIsolated ? new PageEnded("flood", UNRESPONSIVE, reason) : new TabSuspected(reason));
    await launched.kill();
  }
}

function largestOf(
  processes: readonly ProcessUsage[],
  sizeOf: (process: ProcessUsage) => number,
): ProcessUsage | undefined {
  return processes.toSorted((left, right) => sizeOf(right) - sizeOf(left))[0];
}

/** Processes of unknown pages may belong to several pages, so only a single process's usage is proof. */
function certainBytes({ page, ownBytes }: PageUsage<Tab>, largest: ProcessUsage | undefined): number {
  return page === null ? (largest?.memoryBytes ?? 0) : ownBytes;
}

function certainCpuMs({ page, ownCpuMs }: PageUsage<Tab>, largest: ProcessUsage | undefined): number {
  return page === null ? (largest?.cpuMs ?? 0) : ownCpuMs;
}

/** Returns a line for the log, such as `own: 300 MiB, 20.1 s; shared: 10 MiB, 0.2 s; pid 4711`. */
function describeUsage(
  { ownBytes, ownCpuMs, sharedBytes, sharedCpuMs }: PageUsage<Tab>,
  largest: ProcessUsage | undefined,
): string {
  const format = (bytes: number, cpuMs: number): string =>
    `${Math.round(bytes / MIB)} MiB, ${(cpuMs / 1000).toFixed(1)} s`;
  const pid = largest === undefined ? "" : `; pid ${largest.pid}`;
  return `own: ${format(ownBytes, ownCpuMs)}; shared: ${format(sharedBytes, sharedCpuMs)}${pid}`;
}
