import { expect, it, vi } from "vitest";
import { FloodDetector } from "../../src/puppeteer/browser/flood-detector.ts";

/** CPU time of the message thread of each process; a process that is not listed cannot be read. */
const cpuMs = new Map<number, number>();

vi.mock("../../src/puppeteer/browser/process-group.ts", () => ({
  readThreadCpuMs: (pid: number) => cpuMs.get(pid) ?? null,
}));

it("finds the pages whose messages used 2.5 % of a core since the previous sample", () => {
  const detector = new FloodDetector();
  const sample = (nowMs: number, use: readonly number[]): readonly number[] => {
    for (const [pid, ms] of use.entries()) cpuMs.set(pid, ms);
    return detector.sample([0, 1, 2], nowMs);
  };
  expect(sample(0, [100, 500, 0])).toEqual([]);
  expect(sample(500, [112, 512, 0])).toEqual([]);
  expect(sample(1_000, [125, 530, 9])).toEqual([0, 1]);
  expect(sample(1_500, [225, 540, 60])).toEqual([0, 2]);
});

it("accuses no page after less than 250 ms, and then compares with the earlier sample", () => {
  const detector = new FloodDetector();
  cpuMs.set(1, 0);
  expect(detector.sample([1], 0)).toEqual([]);
  cpuMs.set(1, 9);
  expect(detector.sample([1], 10)).toEqual([]);
  expect(detector.sample([1], 300)).toEqual([1]);
});

it("accuses no page whose CPU time could not be read before", () => {
  const detector = new FloodDetector();
  cpuMs.delete(1);
  expect(detector.sample([1], 0)).toEqual([]);
  cpuMs.set(1, 1_000);
  expect(detector.sample([1], 500)).toEqual([]);
});
