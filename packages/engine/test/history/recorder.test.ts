import { createFakeClock, createFakeRandom, type FakeClock } from "@snap/testing";
import { describe, expect, it, vi, type Mock } from "vitest";
import type { FinishedCapture } from "../../src/history/entry.ts";
import { createRecorder, type HistoryRecorder } from "../../src/history/recorder.ts";
import type { HistoryStore } from "../../src/ports/history.ts";
import { flushMicrotasks } from "../batches/open-engine.ts";

const NOON = Date.parse("2026-03-01T12:00:00Z");

type Append = HistoryStore["append"];
type AppendRequest = Parameters<Append>[0];

interface Bench {
  readonly recorder: HistoryRecorder;
  readonly clock: FakeClock;
  readonly append: Mock<Append>;
  readonly errors: unknown[];
  /** Records `count` finished captures, numbered by their request ids. */
  record(count: number, finished?: Partial<FinishedCapture>): void;
  /** Returns everything appended so far. */
  appended(): AppendRequest;
  advanceSecond(): Promise<void>;
}

function open(append: Append = async () => {}): Bench {
  const clock = createFakeClock(NOON);
  const mock = vi.fn<Append>(append);
  const errors: unknown[] = [];
  const recorder = createRecorder({
    store: { append: mock },
    clock,
    random: createFakeRandom(1),
    onBackgroundError: (error) => errors.push(error),
  });
  let number = 0;
  return {
    recorder,
    clock,
    append: mock,
    errors,
    record(count, finished) {
      for (let index = 0; index < count; index += 1)
        recorder.record({ ...RENDER, at: clock.now(), requestId: String((number += 1)), ...finished });
    },
    appended: () => ({
      entries: mock.mock.calls.flatMap(([{ entries }]) => entries),
      totals: mock.mock.calls.flatMap(([{ totals }]) => totals),
    }),
    async advanceSecond() {
      clock.advance(1000);
      await flushMicrotasks();
    },
  };
}

const RENDER: FinishedCapture = {
  at: NOON,
  requestId: null,
  batchId: null,
  accountId: "acct_1",
  tokenId: 7,
  entryPoint: "snap",
  request: null,
  code: null,
  message: null,
  durationMs: 100,
  cache: "miss",
  creditCost: 1,
  etag: null,
  bytes: 10,
  targetStatus: 200,
  notes: [],
  expiresAt: null,
};
const HIT = { cache: "hit", creditCost: 0 } as const;
const FAILURE = { cache: null, creditCost: 0, code: "render_failed", message: "It failed." } as const;

describe("finished captures", () => {
  it("are written together, a second after the first", async () => {
    const { record, append, clock, advanceSecond } = open();
    await advanceSecond();
    expect(append).not.toHaveBeenCalled();
    record(1);
    clock.advance(500);
    record(2);
    clock.advance(499);
    expect(append).not.toHaveBeenCalled();
    clock.advance(1);
    expect(append).toHaveBeenCalledTimes(1);
    expect(append.mock.lastCall?.[0].entries.map(({ requestId }) => requestId)).toEqual(["1", "2", "3"]);
    await flushMicrotasks();
    await advanceSecond();
    expect(append).toHaveBeenCalledTimes(1);
    record(1);
    await advanceSecond();
    expect(append).toHaveBeenCalledTimes(2);
  });

  it("get ids that sort by time", async () => {
    const { record, appended, clock, advanceSecond } = open();
    record(1);
    clock.advance(1);
    record(1);
    await advanceSecond();
    const ids = appended().entries.map(({ id }) => id);
    expect(ids).toEqual([
      expect.stringMatching(/^req_019ca9450a00[0-9a-f]{12}$/),
      expect.stringMatching(/^req_019ca9450a01[0-9a-f]{12}$/),
    ]);
  });

  it("are added up by day and token", async () => {
    const { record, appended, clock, advanceSecond } = open();
    record(2, { durationMs: 300 });
    record(1, { cache: "bypass", durationMs: 50 });
    record(1, HIT);
    record(1, FAILURE);
    record(1, { ...HIT, accountId: "acct_2", tokenId: 8 });
    await advanceSecond();
    clock.set(NOON + 43_200_000);
    record(1);
    await advanceSecond();
    const nothing = { renders: 0, hits: 0, failures: 0, credits: 0, renderMs: 0, longestRenderMs: 0 };
    const first = { renders: 3, hits: 1, failures: 1, credits: 3, renderMs: 650, longestRenderMs: 300 };
    expect(appended().totals).toEqual([
      { day: "2026-03-01", accountId: "acct_1", tokenId: 7, ...first },
      { ...nothing, day: "2026-03-01", accountId: "acct_2", tokenId: 8, hits: 1 },
      {
        ...nothing,
        day: "2026-03-02",
        accountId: "acct_1",
        tokenId: 7,
        renders: 1,
        credits: 1,
        renderMs: 100,
        longestRenderMs: 100,
      },
    ]);
  });
});

describe("in one second, the recorder", () => {
  it.each([
    ["hits", HIT],
    ["failures", FAILURE],
  ])("lists 50 %s, at most 25 of one account, but counts all", async (_name, finished) => {
    const { record, appended, advanceSecond } = open();
    record(30, finished);
    record(1, { ...finished, accountId: "acct_2" });
    record(29, { ...finished, accountId: "acct_3" });
    record(60);
    await advanceSecond();
    record(10, finished);
    await advanceSecond();
    const { entries, totals } = appended();
    const free = entries.filter(({ cache }) => cache !== "miss").map(({ accountId }) => accountId);
    expect(free.toSorted()).toEqual([
      ...Array.from({ length: 25 + 10 }, () => "acct_1"),
      "acct_2",
      ...Array.from({ length: 24 }, () => "acct_3"),
    ]);
    expect(entries.filter(({ cache }) => cache === "miss")).toHaveLength(60);
    expect(totals.reduce((sum, { hits, failures }) => sum + hits + failures, 0)).toBe(70);
  });

  it("writes at most 500 entries and 500 totals; the rest follows", async () => {
    const { record, append, advanceSecond } = open();
    for (let tokenId = 1; tokenId <= 1100; tokenId += 1) record(1, { tokenId });
    await advanceSecond();
    await advanceSecond();
    expect(append.mock.calls.map(([{ entries, totals }]) => [entries.length, totals.length])).toEqual([
      [500, 500],
      [500, 500],
    ]);
    await advanceSecond();
    expect(append.mock.lastCall?.[0].entries).toHaveLength(100);
  });
});

describe("a store", () => {
  it("loses an append that fails; the error is reported once until the store recovers", async () => {
    let isDown = true;
    const { record, append, errors, advanceSecond } = open(async () => {
      if (isDown) throw new Error("the disk is full");
    });
    record(1);
    await advanceSecond();
    record(1);
    await advanceSecond();
    expect(append).toHaveBeenCalledTimes(2);
    expect(errors).toEqual([new Error("the disk is full")]);
    isDown = false;
    record(1);
    await advanceSecond();
    expect(append.mock.lastCall?.[0].entries.map(({ requestId }) => requestId)).toEqual(["3"]);
    expect(append.mock.lastCall?.[0].totals).toMatchObject([{ renders: 1 }]);
    isDown = true;
    record(1);
    await advanceSecond();
    expect(errors).toHaveLength(2);
  });

  it("gets one call at a time; while it hangs, only the latest 10,000 entries wait", async () => {
    const { promise: hangs, resolve } = Promise.withResolvers<void>();
    const { record, append, errors, advanceSecond } = open(() => hangs);
    record(1);
    await advanceSecond();
    record(10_002);
    await advanceSecond();
    await advanceSecond();
    expect(append).toHaveBeenCalledTimes(1);
    expect(errors).toEqual([
      new Error("The history cannot be written fast enough; dropping the oldest entries."),
    ]);
    resolve();
    await flushMicrotasks();
    await advanceSecond();
    expect(append).toHaveBeenCalledTimes(2);
    expect(append.mock.lastCall?.[0].entries[0]?.requestId).toBe("4");
  });

  it("gets the remaining entries when the recorder closes, after the running append", async () => {
    const { promise: hangs, resolve } = Promise.withResolvers<void>();
    const { recorder, record, append, advanceSecond } = open(() => hangs);
    record(700);
    await advanceSecond();
    const closed = recorder.close();
    await flushMicrotasks();
    expect(append).toHaveBeenCalledTimes(1);
    resolve();
    await closed;
    expect(append.mock.calls.map(([{ entries }]) => entries.length)).toEqual([500, 200]);
    await advanceSecond();
    await advanceSecond();
    expect(append).toHaveBeenCalledTimes(2);
  });
});
