import { createFakeRandom } from "@snap/testing";
import { expect, it } from "vitest";
import { newReservationId } from "../../src/credits/reservation.ts";

const NOW = 1_767_225_600_000;

it("a reservation id starts with a timestamp, followed by random digits", () => {
  const random = { bytes: (size: number) => new Uint8Array(size).fill(0xab) };
  expect(newReservationId(random, NOW)).toBe("019b76daa800abababababababababab");
});

it("reservation ids sort by time", () => {
  const random = createFakeRandom(1);
  const instants = [0, 1, 0xff_ffff, NOW, NOW + 1, NOW * 2];
  const ids = instants.map((now) => newReservationId(random, now));
  expect(ids.toSorted()).toEqual(ids);
});

it("reservation ids from the same millisecond differ", () => {
  const random = createFakeRandom(1);
  const ids = new Set(Array.from({ length: 1000 }, () => newReservationId(random, NOW)));
  expect(ids.size).toBe(1000);
});
