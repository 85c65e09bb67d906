import { describe, expect, it } from "vitest";
import { SingleFlight } from "../../src/renderings/single-flight.ts";

describe("SingleFlight", () => {
  it("does the work once for calls at the same time, and again afterwards", async () => {
    const flights = new SingleFlight<number>(() => false);
    let works = 0;
    const work = async (): Promise<number> => (works += 1);
    const shared = await Promise.all(Array.from({ length: 50 }, () => flights.share("x", work)));
    expect(works).toBe(1);
    expect(shared.filter(({ led }) => led)).toHaveLength(1);
    expect((await flights.share("x", work)).value).toBe(2);
  });

  it("keeps names apart", async () => {
    const flights = new SingleFlight<string>(() => false);
    const [x, y] = await Promise.all([
      flights.share("x", async () => "x"),
      flights.share("y", async () => "y"),
    ]);
    expect([x.value, y.value]).toEqual(["x", "y"]);
  });

  it("shares a failure of the work", async () => {
    const flights = new SingleFlight<number>(() => false);
    let works = 0;
    const work = async (): Promise<number> => {
      works += 1;
      throw new Error("broken");
    };
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => flights.share("x", work)));
    expect(all.map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
    expect(works).toBe(1);
  });

  it("hands the lead on when a failure concerns the leader alone", async () => {
    const flights = new SingleFlight<string>((error) => error === refusal);
    const refusal = new Error("concerns me alone");
    let calls = 0;
    const work = async (): Promise<string> => {
      calls += 1;
      if (calls === 1) throw refusal;
      return "done";
    };
    const all = await Promise.allSettled(Array.from({ length: 4 }, () => flights.share("x", work)));
    expect(all.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
    expect(calls).toBe(2);
  });
});
