import type { GroupMember } from "./process-group.ts";

/** An unknown page's process is listed separately while it is below both limits: its page may have just started. */
const SMALL_CPU_MS = 1_000;
const SMALL_BYTES = 128 * 1024 ** 2;

/** A running page, with its known processes. */
export interface MeteredPage {
  readonly processes: { has(pid: number): boolean };
}

/** A process and its usage since the previous reading. */
export interface ProcessUsage extends GroupMember {
  readonly recentCpuMs: number;
  readonly recentWaitMs: number;
}

/** A page's usage: its own processes, and its share of the processes that all pages of the browser use. */
export class PageUsage<Page> {
  /** `null` if the processes belong to an unknown page. */
  readonly page: Page | null;
  processes: readonly ProcessUsage[] = [];
  /** Its share of the growth of the shared processes. */
  sharedBytes = 0;
  sharedCpuMs = 0;
  recentSharedCpuMs = 0;
  /** CPU time of its processes that have exited. */
  exitedCpuMs = 0;

  constructor(page: Page | null) {
    this.page = page;
  }

  get ownBytes(): number {
    return sum(this.processes, ({ memoryBytes }) => memoryBytes);
  }

  get ownCpuMs(): number {
    return this.exitedCpuMs + sum(this.processes, ({ cpuMs }) => cpuMs);
  }

  get recentOwnCpuMs(): number {
    return sum(this.processes, ({ recentCpuMs }) => recentCpuMs);
  }

  get recentCpuMs(): number {
    return this.recentOwnCpuMs + this.recentSharedCpuMs;
  }

  get recentWaitMs(): number {
    return sum(this.processes, ({ recentWaitMs }) => recentWaitMs);
  }
}

/** One reading of a browser. */
export interface BrowserUsage<Page> {
  /**
   * The running pages, then the processes of unknown pages: an entry for the large ones together, if there are any, and
   * one for each small one.
   */
  readonly pages: readonly PageUsage<Page>[];
  /** The processes that all pages share. */
  readonly shared: readonly ProcessUsage[];
}

/** Returns all processes of a browser. */
export function processesOf({ pages, shared }: BrowserUsage<unknown>): readonly ProcessUsage[] {
  return [...pages.flatMap(({ processes }) => processes), ...shared];
}

/**
 * Adds up the usage of each page of a browser, from one reading to the next.
 *
 * The shared processes store Blobs, draw graphics and connect to the network for the pages. Their CPU time and memory
 * growth are divided among the pages in proportion to the CPU time that each page used in the same interval.
 */
export class UsageMeter<Page extends MeteredPage> {
  readonly #pages = new Map<Page, PageUsage<Page>>();
  /** The large processes of unknown pages. */
  #unknown = new PageUsage<Page>(null);
  #processes: ReadonlyMap<number, ProcessUsage> = new Map();
  #sharedBytes: number | null = null;
  /** CPU time of the shared processes, accumulated while no page used the CPU. */
  #undividedCpuMs = 0;

  /** @param wasPaused - Whether no page ran for a while; the shared processes' CPU time then belongs to no page. */
  update(members: readonly GroupMember[], running: ReadonlySet<Page>, wasPaused = false): BrowserUsage<Page> {
    const processes = members.map((member) => {
      const wasIdle = wasPaused && member.role !== "renderer";
      return usageSince(member, wasIdle ? member : this.#processes.get(member.pid));
    });
    const shared = processes.filter(({ role }) => role !== "renderer");
    const renderers = Map.groupBy(
      processes.filter(({ role }) => role === "renderer"),
      (process) => pageOf(process, running),
    );
    for (const page of this.#pages.keys()) if (!running.has(page)) this.#pages.delete(page);
    this.#processes = new Map(processes.map((process) => [process.pid, process]));
    const known = [...running].map((page) => this.#usageOf(page));
    for (const usage of known) {
      const exited = usage.processes.filter(({ pid }) => !this.#processes.has(pid));
      usage.exitedCpuMs += sum(exited, ({ cpuMs }) => cpuMs);
      usage.processes = renderers.get(usage.page) ?? [];
    }
    const pages = [...known, ...this.#unknownUsage(renderers.get(null) ?? [])];
    this.#divide(shared, pages);
    return { pages, shared };
  }

  #usageOf(page: Page): PageUsage<Page> {
    const usage = this.#pages.get(page) ?? new PageUsage(page);
    this.#pages.set(page, usage);
    return usage;
  }

  #unknownUsage(processes: readonly ProcessUsage[]): readonly PageUsage<Page>[] {
    const { small = [], large = [] } = Object.groupBy(processes, (each) =>
      isSmall(each) ? "small" : "large",
    );
    const earlier = new Set(this.#unknown.processes.map(({ pid }) => pid));
    // the share of processes that have all exited or become known must not count against others
    if (!large.some(({ pid }) => earlier.has(pid))) this.#unknown = new PageUsage<Page>(null);
    this.#unknown.processes = large;
    const separate = small.map((process) => {
      const usage = new PageUsage<Page>(null);
      usage.processes = [process];
      return usage;
    });
    return large.length > 0 ? [this.#unknown, ...separate] : separate;
  }

  #divide(shared: readonly ProcessUsage[], usages: readonly PageUsage<Page>[]): void {
    const bytes = sum(shared, ({ memoryBytes }) => memoryBytes);
    const growthBytes = bytes - (this.#sharedBytes ?? bytes);
    this.#sharedBytes = bytes;
    const cpuMs = this.#undividedCpuMs + sum(shared, ({ recentCpuMs }) => recentCpuMs);
    const ownCpuMs = sum(usages, ({ recentOwnCpuMs }) => recentOwnCpuMs);
    const dividedBytes = sum(usages, ({ sharedBytes }) => sharedBytes);
    for (const usage of usages) {
      const fraction = ownCpuMs === 0 ? 0 : usage.recentOwnCpuMs / ownCpuMs;
      usage.recentSharedCpuMs = cpuMs * fraction;
      usage.sharedCpuMs += usage.recentSharedCpuMs;
      if (growthBytes > 0) usage.sharedBytes += growthBytes * fraction;
      // it is unknown which page freed memory, so all shares shrink by the same fraction
      else if (dividedBytes > 0) usage.sharedBytes *= Math.max(0, 1 + growthBytes / dividedBytes);
    }
    // carried over while the running pages use no CPU
    this.#undividedCpuMs = ownCpuMs === 0 && usages.some(({ page }) => page !== null) ? cpuMs : 0;
  }
}

function usageSince(member: GroupMember, previous: GroupMember | undefined): ProcessUsage {
  return {
    ...member,
    recentCpuMs: Math.max(0, member.cpuMs - (previous?.cpuMs ?? 0)),
    recentWaitMs: Math.max(0, member.waitMs - (previous?.waitMs ?? 0)),
  };
}

function pageOf<Page extends MeteredPage>({ pid }: GroupMember, running: Iterable<Page>): Page | null {
  for (const page of running) if (page.processes.has(pid)) return page;
  return null;
}

function isSmall({ cpuMs, memoryBytes }: GroupMember): boolean {
  return cpuMs < SMALL_CPU_MS && memoryBytes < SMALL_BYTES;
}

function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}
