import { createFakeClock } from "@snap/testing";
import { describe, expect, it } from "vitest";
import { Quarantine } from "../../src/schedule/quarantine.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");

describe("Quarantine", () => {
  it("lasts ten minutes from the last page that was ended", () => {
    const clock = createFakeClock(START_MS);
    const quarantine = new Quarantine(clock);
    expect(quarantine.add("a")).toBe(START_MS + 600_000);
    clock.advance(300_000);
    quarantine.add("a");
    quarantine.add("b");
    expect(quarantine.size).toBe(2);
    clock.advance(599_999);
    expect([quarantine.has("a"), quarantine.has("b"), quarantine.has("c")]).toEqual([true, true, false]);
    clock.advance(1);
    expect([quarantine.has("a"), quarantine.has("b"), quarantine.size]).toEqual([false, false, 0]);
  });

  it("lasts just as long if the clock is set back", () => {
    const clock = createFakeClock(START_MS);
    const quarantine = new Quarantine(clock);
    quarantine.add("a");
    clock.set(START_MS - 3_600_000);
    clock.advance(599_999);
    expect(quarantine.has("a")).toBe(true);
    clock.advance(1);
    expect(quarantine.has("a")).toBe(false);
  });

  it("remembers only the last 10,000 accounts", () => {
    const quarantine = new Quarantine(createFakeClock(START_MS));
    for (let index = 0; index <= 10_000; index += 1) quarantine.add(`account ${index}`);
    expect(quarantine.size).toBe(10_000);
    expect([quarantine.has("account 0"), quarantine.has("account 1")]).toEqual([false, true]);
  });
});
