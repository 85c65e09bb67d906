import { expect, it } from "vitest";
import { boundedRead } from "../../src/operations/metrics/bounded-read.ts";

it("returns the result of a read, and null if the read fails", async () => {
  const read = boundedRead<number>();
  expect(await read(() => Promise.resolve(1))).toBe(1);
  expect(await read(() => Promise.reject(new Error("gone")))).toBeNull();
  expect(await read(() => Promise.resolve(2))).toBe(2);
});

it("stops waiting for a read that hangs, joins it, and reads again once it ends", async () => {
  const read = boundedRead<number>();
  const held = Promise.withResolvers<number>();
  let calls = 0;
  const hanging = (): Promise<number> => {
    calls += 1;
    return held.promise;
  };
  expect(await read(hanging)).toBeNull();
  expect(await read(hanging)).toBeNull();
  expect(calls).toBe(1);
  held.resolve(1);
  expect(await read(hanging)).toBe(1);
  expect(await read(() => Promise.resolve(2))).toBe(2);
});
