import type { GroupMember } from "./process-group.ts";

/** Below both, a process of an unknown page is listed by itself: a page that has just started is no suspect. */
const SMALL_CPU_MS = 1_000;
const SMALL_BYTES = 128 * 1024 ** 2;

/** A running page whose processes are known, as far as they have been found. */
export interface MeteredPage {
  readonly processes: { has(pid: number): boolean };
}

/** A process, and what it has used since the previous reading. */
export interface ProcessUsage extends GroupMember {
  readonly recentCpuMs: number;
  readonly recentWaitMs: number;
}

/** What a page uses: its own processes, and its part of those that all pages of the browser share. */
export class PageUsage<Page> {
  /** `null` if it is not known which page the processes belong to. */
  readonly page: Page | null;
  processes: readonly ProcessUsage[] = [];
  /** Its part of what the shared processes have grown by. */
  sharedBytes = 0;
  sharedCpuMs = 0;
  recentSharedCpuMs = 0;
  /** Processor time of its processes that have exited. */
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
  /** The pages, and by themselves the small processes whose page is not known. */
  readonly pages: readonly PageUsage<Page>[];
  /** The large processes whose page is not known, taken together. */
  readonly unknown: PageUsage<Page>;
  /** The processes that all pages share. */
  readonly shared: readonly ProcessUsage[];
}

/**
 * Adds up what each page of a browser uses, from one reading to the next.
 *
 * The shared processes store Blobs, draw graphics and connect to the network for the pages. What they use and grow by
 * is divided among the pages by the processor time that each page has used at the same time.
 */
export class UsageMeter<Page extends MeteredPage> {
  readonly #pages = new Map<Page | null, PageUsage<Page>>();
  #processes: ReadonlyMap<number, ProcessUsage> = new Map();
  #sharedBytes: number | null = null;
  /** Processor time of the shared processes while no page used any. */
  #undividedCpuMs = 0;

  update(members: readonly GroupMember[], running: ReadonlySet<Page>): BrowserUsage<Page> {
    const processes = members.map((member) => compare(member, this.#processes.get(member.pid)));
    const shared = processes.filter(({ role }) => role !== "renderer");
    const renderers = Map.groupBy(
      processes.filter(({ role }) => role === "renderer"),
      (process) => ownerOf(process, running),
    );
    for (const page of this.#pages.keys()) if (page !== null && !running.has(page)) this.#pages.delete(page);
    this.#addExited(new Set(members.map(({ pid }) => pid)), running);
    this.#processes = new Map(processes.map((process) => [process.pid, process]));
    const unknown = this.#usageOf(null);
    unknown.processes = renderers.get(null) ?? [];
    const pages = [...running].map((page) => this.#usageOf(page));
    for (const usage of pages) usage.processes = renderers.get(usage.page) ?? [];
    for (const [owner, [process]] of renderers) {
      if (typeof owner !== "number" || process === undefined) continue;
      const small = new PageUsage<Page>(null);
      small.processes = [process];
      pages.push(small);
    }
    this.#divide(shared, [...pages, unknown]);
    return { pages, unknown, shared };
  }

  #usageOf(page: Page | null): PageUsage<Page> {
    const usage = this.#pages.get(page) ?? new PageUsage(page);
    this.#pages.set(page, usage);
    return usage;
  }

  #addExited(alive: ReadonlySet<number>, running: ReadonlySet<Page>): void {
    for (const process of this.#processes.values()) {
      if (process.role !== "renderer" || alive.has(process.pid)) continue;
      const owner = ownerOf(process, running);
      if (owner !== null && typeof owner !== "number") this.#usageOf(owner).exitedCpuMs += process.cpuMs;
    }
  }

  #divide(shared: readonly ProcessUsage[], users: readonly PageUsage<Page>[]): void {
    const bytes = sum(shared, ({ memoryBytes }) => memoryBytes);
    const grownBytes = bytes - (this.#sharedBytes ?? bytes);
    this.#sharedBytes = bytes;
    const cpuMs = this.#undividedCpuMs + sum(shared, ({ recentCpuMs }) => recentCpuMs);
    const ownCpuMs = sum(users, ({ recentOwnCpuMs }) => recentOwnCpuMs);
    const dividedBytes = sum(users, ({ sharedBytes }) => sharedBytes);
    for (const user of users) {
      const part = ownCpuMs === 0 ? 0 : user.recentOwnCpuMs / ownCpuMs;
      user.recentSharedCpuMs = cpuMs * part;
      user.sharedCpuMs += user.recentSharedCpuMs;
      if (grownBytes > 0) user.sharedBytes += grownBytes * part;
      else if (dividedBytes > 0) user.sharedBytes *= Math.max(0, 1 + grownBytes / dividedBytes);
    }
    // divided once a page uses a processor again; what the last page left behind concerns no other
    this.#undividedCpuMs = ownCpuMs === 0 && users.some(({ page }) => page !== null) ? cpuMs : 0;
  }
}

function compare(member: GroupMember, previous: GroupMember | undefined): ProcessUsage {
  return {
    ...member,
    recentCpuMs: Math.max(0, member.cpuMs - (previous?.cpuMs ?? 0)),
    recentWaitMs: Math.max(0, member.waitMs - (previous?.waitMs ?? 0)),
  };
}

/** Returns the page of a process, the id of a small process, or `null` for a large one whose page is not known. */
function ownerOf<Page extends MeteredPage>(
  process: GroupMember,
  running: Iterable<Page>,
): Page | number | null {
  for (const page of running) if (page.processes.has(process.pid)) return page;
  return process.cpuMs < SMALL_CPU_MS && process.memoryBytes < SMALL_BYTES ? process.pid : null;
}

function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}
