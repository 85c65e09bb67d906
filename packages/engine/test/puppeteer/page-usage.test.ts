import { describe, expect, it } from "vitest";
import { UsageMeter, type PageUsage } from "../../src/puppeteer/browser/page-usage.ts";
import type { GroupMember, ProcessRole } from "../../src/puppeteer/browser/process-group.ts";

const MIB = 1024 ** 2;

function member(pid: number, role: ProcessRole, use: { mib?: number; cpuMs?: number }): GroupMember {
  const { mib = 10, cpuMs = 0 } = use;
  return { pid, role, memoryBytes: mib * MIB, cpuMs, waitMs: 0 };
}

interface Page {
  readonly processes: Set<number>;
}

function page(...pids: number[]): Page {
  return { processes: new Set(pids) };
}

function sharedOf(usage: PageUsage<Page> | undefined): { mib: number; cpuMs: number } {
  return { mib: (usage?.sharedBytes ?? 0) / MIB, cpuMs: usage?.sharedCpuMs ?? 0 };
}

describe("UsageMeter", () => {
  it("adds up the usage of a page's processes, including the CPU time of those that have exited", () => {
    const meter = new UsageMeter<Page>();
    const hostile = page(1, 2);
    const running = new Set([hostile]);
    const first = meter.update(
      [member(1, "renderer", { mib: 300, cpuMs: 400 }), member(2, "renderer", { mib: 200, cpuMs: 100 })],
      running,
    );
    expect(first.pages[0]).toMatchObject({ ownBytes: 500 * MIB, ownCpuMs: 500, recentOwnCpuMs: 500 });
    hostile.processes.delete(2); // the page has removed the frame
    const second = meter.update([member(1, "renderer", { mib: 350, cpuMs: 450 })], running);
    expect(second.pages[0]).toMatchObject({ ownBytes: 350 * MIB, ownCpuMs: 550, recentOwnCpuMs: 50 });
  });

  it("counts the large processes of unknown pages as those of one page, and each small one separately", () => {
    const meter = new UsageMeter<Page>();
    const members = [
      member(1, "renderer", { cpuMs: 2_000 }),
      member(2, "renderer", { mib: 500 }),
      member(3, "renderer", { mib: 100, cpuMs: 900 }),
    ];
    const usage = meter.update(members, new Set([page()]));
    expect(usage.pages.map(({ processes }) => processes.map(({ pid }) => pid))).toEqual([[], [1, 2], [3]]);
  });

  it("does not charge an unknown page for the usage of an earlier one", () => {
    const meter = new UsageMeter<Page>();
    const running = new Set([page()]);
    const read = (...members: readonly GroupMember[]): PageUsage<Page> | undefined =>
      meter.update(members, running).pages.find((usage) => usage.page === null);
    read(member(9, "browser", {}));
    const first = read(
      member(1, "renderer", { cpuMs: 2_000 }),
      member(9, "browser", { mib: 30, cpuMs: 400 }),
    );
    expect(sharedOf(first)).toEqual({ mib: 20, cpuMs: 400 });
    const both = read(
      member(1, "renderer", { cpuMs: 2_000 }),
      member(2, "renderer", { cpuMs: 1_000 }),
      member(9, "browser", { mib: 30, cpuMs: 500 }),
    );
    expect(sharedOf(both)).toEqual({ mib: 20, cpuMs: 500 });
    // a new page is assumed once all processes of the earlier unknown one have exited
    const next = read(member(3, "renderer", { cpuMs: 1_000 }), member(9, "browser", { mib: 30, cpuMs: 550 }));
    expect(sharedOf(next)).toEqual({ mib: 0, cpuMs: 50 });
    expect(read(member(9, "browser", { mib: 30, cpuMs: 550 }))).toBeUndefined();
    const last = read(member(4, "renderer", { cpuMs: 1_000 }), member(9, "browser", { mib: 30, cpuMs: 600 }));
    expect(sharedOf(last)).toEqual({ mib: 0, cpuMs: 50 });
  });

  it("divides the shared processes' usage in proportion to each page's usage in the same interval", () => {
    const meter = new UsageMeter<Page>();
    const running = new Set([page(1), page(2)]);
    const read = (busy: number, quiet: number, shared: { mib: number; cpuMs: number }): void => {
      usage = meter.update(
        [
          member(1, "renderer", { cpuMs: busy }),
          member(2, "renderer", { cpuMs: quiet }),
          member(3, "browser", { mib: shared.mib, cpuMs: shared.cpuMs }),
        ],
        running,
      );
    };
    let usage = meter.update([member(3, "browser", { mib: 100 })], running);
    read(300, 100, { mib: 180, cpuMs: 400 });
    expect(usage.pages.map(sharedOf)).toEqual([
      { mib: 60, cpuMs: 300 },
      { mib: 20, cpuMs: 100 },
    ]);
    // this CPU time is not divided until a page uses the CPU again
    read(300, 100, { mib: 180, cpuMs: 500 });
    read(350, 100, { mib: 180, cpuMs: 500 });
    expect(usage.pages.map(sharedOf)).toEqual([
      { mib: 60, cpuMs: 400 },
      { mib: 20, cpuMs: 100 },
    ]);
    // freed memory is deducted from all pages in proportion
    read(350, 100, { mib: 140, cpuMs: 500 });
    expect(usage.pages.map((each) => sharedOf(each).mib)).toEqual([30, 10]);
  });

  it("charges no page for the shared processes' CPU time during a pause", () => {
    const meter = new UsageMeter<Page>();
    meter.update([member(3, "browser", { mib: 100, cpuMs: 100 })], new Set());
    const running = new Set([page(1)]);
    const read = (cpuMs: number, wasPaused: boolean): unknown => {
      const members = [
        member(1, "renderer", { cpuMs }),
        member(3, "browser", { mib: 100, cpuMs: 900 + cpuMs }),
      ];
      return meter.update(members, running, wasPaused).pages.map((each) => sharedOf(each).cpuMs);
    };
    expect(read(10, true)).toEqual([0]);
    expect(read(30, false)).toEqual([20]);
  });

  it("forgets a page that is no longer rendered", () => {
    const meter = new UsageMeter<Page>();
    const first = page(1);
    meter.update([member(1, "renderer", { cpuMs: 400 }), member(3, "browser", {})], new Set([first]));
    meter.update([member(3, "browser", { mib: 500 })], new Set());
    const usage = meter.update([member(3, "browser", { mib: 600 })], new Set([page()]));
    expect(usage.pages.map(sharedOf)).toEqual([{ mib: 0, cpuMs: 0 }]);
  });
});
