import { describe, expect, it } from "vitest";
import { createFakeClock } from "../src/index.ts";

const START = 1_767_225_600_000;

describe("createFakeClock", () => {
  it("does not move until it is advanced", () => {
    const clock = createFakeClock(START);
    expect(clock.now()).toBe(1_767_225_600_000);
    clock.advance(250);
    expect(clock.now()).toBe(1_767_225_600_250);
  });

  it("runs timers in order, each at its instant", () => {
    const clock = createFakeClock(START);
    const wakeUps: [string, number][] = [];
    const wake = (name: string) => (): void => void wakeUps.push([name, clock.now() - START]);
    clock.after(30, wake("c"));
    clock.after(10, wake("a"));
    clock.after(10, wake("b"));
    clock.after(31, wake("d"));
    clock.advance(30);
    expect(wakeUps).toEqual([
      ["a", 10],
      ["b", 10],
      ["c", 30],
    ]);
    clock.advance(1);
    expect(wakeUps.at(-1)).toEqual(["d", 31]);
  });

  it("runs timers that a timer sets", () => {
    const clock = createFakeClock(START);
    let ticks = 0;
    const tick = (): void => {
      ticks += 1;
      clock.after(10, tick);
    };
    clock.after(10, tick);
    clock.advance(100);
    expect(ticks).toBe(10);
  });

  it("cancels a timer", () => {
    const clock = createFakeClock(START);
    let woken = false;
    const cancel = clock.after(10, () => (woken = true));
    cancel();
    clock.advance(100);
    expect(woken).toBe(false);
  });

  it("does not change the remaining time of timers when it is set", () => {
    const clock = createFakeClock(START);
    let wokenAt = 0;
    clock.after(10, () => (wokenAt = clock.now()));
    clock.set(START + 3_600_000);
    expect(wokenAt).toBe(0);
    expect(clock.now()).toBe(START + 3_600_000);
    clock.advance(10);
    expect(wokenAt).toBe(START + 3_600_010);
    clock.set(START - 5);
    expect(clock.now()).toBe(START - 5);
  });
});
