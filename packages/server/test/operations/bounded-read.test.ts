import { expect, it } from "vitest";
import { boundedRead } from "../../src/operations/metrics/bounded-read.ts";

it("returns what it reads, and null if that fails", async () => {
  const read = boundedRead<number>();
  expect(await read(() => Promise.resolve(1))).toBe(1);
  expect(await read(() => Promise.reject(new Error("gone")))).toBeNull();
  expect(await read(() => Promise.resolve(2))).toBe(2);
});

it("gives up a read that never answers, joins it, and reads again afterwards", async () => {
  const read = boundedRead<number>();
  const held = Promise.withResolvers<number>();
  let asked = 0;
  const hanging = (): Promise<number> => {
    asked += 1;
    return held.promise;
  };
  expect(await read(hanging)).toBeNull();
  expect(await read(hanging)).toBeNull();
  expect(asked).toBe(1);
  held.resolve(1);
  expect(await read(hanging)).toBe(1);
  expect(await read(() => Promise.resolve(2))).toBe(2);
});
