import { expect, it } from "vitest";
import { FloodDetector } from "../../src/puppeteer/browser/flood-detector.ts";

type Reading = Readonly<Record<number, number>>;

/** Returns a function that samples processes 1 to 3 with the given CPU times; a process without one is unreadable. */
function openDetector(): (nowMs: number, reading: Reading) => readonly number[] {
  let current: Reading = {};
  const detector = new FloodDetector((pid) => current[pid] ?? null);
  return (nowMs, reading) => {
    current = reading;
    return detector.sample([1, 2, 3], nowMs);
  };
}

it("finds the busiest processes whose messages used 2.5% of a core since the last sample", () => {
  const sample = openDetector();
  expect(sample(0, { 1: 100, 2: 500, 3: 0 })).toEqual([]);
  expect(sample(500, { 1: 112, 2: 512, 3: 0 })).toEqual([]);
  expect(sample(1_000, { 1: 125, 2: 530, 3: 8 })).toEqual([1, 2]);
  expect(sample(1_500, { 1: 225, 2: 540, 3: 60 })).toEqual([1, 3]);
});

it("ignores a sample less than 250 ms after the previous one", () => {
  const sample = openDetector();
  expect(sample(0, { 1: 0 })).toEqual([]);
  expect(sample(10, { 1: 9 })).toEqual([]);
  expect(sample(300, { 1: 9 })).toEqual([1]);
});

it("finds no process whose CPU time was unreadable in the previous sample", () => {
  const sample = openDetector();
  expect(sample(0, {})).toEqual([]);
  expect(sample(500, { 1: 1_000 })).toEqual([]);
});
