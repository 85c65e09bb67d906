import { describe, expect, it } from "vitest";
import { shareCpu } from "../../src/puppeteer/browser/fair-share.ts";

const browser = { usedMs: 50, waitedMs: 10 };

describe("shareCpu", () => {
  it("does not limit any page while no process is starving", () => {
    const pages = [
      { usedMs: 900, waitedMs: 0, rate: 1 },
      { usedMs: 20, waitedMs: 5, rate: 1 },
    ];
    expect(shareCpu(pages, { durationMs: 500, cores: 2, others: [browser] })).toEqual([1, 1]);
  });

  it("limits a page with many busy threads to its share while another page is starving", () => {
    const pages = [
      { usedMs: 940, waitedMs: 0, rate: 1 },
      { usedMs: 10, waitedMs: 400, rate: 1 },
    ];
    // two pages and the browser share 1,000 ms
    expect(shareCpu(pages, { durationMs: 500, cores: 2, others: [browser] })).toEqual([1000 / 3 / 940, 1]);
  });

  it("limits a page with many busy threads while the browser itself is starving", () => {
    const pages = [{ usedMs: 990, waitedMs: 0, rate: 1 }];
    const others = [{ usedMs: 10, waitedMs: 400 }];
    expect(shareCpu(pages, { durationMs: 500, cores: 2, others })).toEqual([500 / 990]);
  });

  it("limits pages only while they and the browser use at least half of the CPU time", () => {
    const page = { usedMs: 400, waitedMs: 300 };
    const others = [{ usedMs: 90, waitedMs: 300 }];
    const interval = { durationMs: 500, others };
    expect(shareCpu([{ ...page, rate: 1 }], { ...interval, cores: 2 })).toEqual([1]);
    expect(shareCpu([{ ...page, rate: 0.4 }], { ...interval, cores: 2 })).toEqual([0.5]);
    expect(shareCpu([{ ...page, rate: 1 }], { ...interval, cores: 1 })).toEqual([245 / 400]);
  });

  it("does not count idle pages", () => {
    const idle = { usedMs: 10, waitedMs: 10, rate: 1 };
    const pages = [{ usedMs: 980, waitedMs: 0, rate: 1 }, idle, idle];
    const others = [{ usedMs: 0, waitedMs: 400 }];
    expect(shareCpu(pages, { durationMs: 500, cores: 2, others })).toEqual([500 / 980, 1, 1]);
  });

  it.each([1, 2, 3, 5, 8, 20])(
    "slows down none of %i pages that each keep one thread busy on two cores",
    (count) => {
      const usedMs = Math.min(500, 1000 / count);
      const pages = Array.from({ length: count }, () => ({ usedMs, waitedMs: 500 - usedMs, rate: 1 }));
      expect(shareCpu(pages, { durationMs: 500, cores: 2, others: [] })).toEqual(pages.map(() => 1));
    },
  );

  it("lowers a reduced rate further, but never below 5%", () => {
    const starving = { usedMs: 0, waitedMs: 500, rate: 1 };
    const interval = { durationMs: 500, cores: 2, others: [] };
    const [slower] = shareCpu([{ usedMs: 600, waitedMs: 0, rate: 0.6 }, starving], interval);
    expect(slower).toBeCloseTo(0.2);
    const [slowest] = shareCpu([{ usedMs: 900, waitedMs: 0, rate: 0.06 }, starving], interval);
    expect(slowest).toBe(0.05);
  });

  it("raises reduced rates step by step while no process is starving", () => {
    const pages = [0.2, 0.9].map((rate) => ({ usedMs: 100, waitedMs: 0, rate }));
    expect(shareCpu(pages, { durationMs: 500, cores: 2, others: [] })).toEqual([0.25, 1]);
  });
});
