import type { ConsumeResult, ConsumeRequest } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { concurrently, CONCURRENT_CALLS, UNUSUAL_STRINGS, defineSuite } from "./suite.ts";
import type { DefineTest, OpenStorage, SuiteRunner } from "./suite.ts";

const START = 1_767_225_600_000;
const WINDOW_MS = 60_000;

function request(change: Partial<ConsumeRequest> = {}): ConsumeRequest {
  return { accountId: "acct_1", name: "render", limit: 3, windowMs: WINDOW_MS, now: START, ...change };
}

function allowed(remaining: number, resetsAt = START + WINDOW_MS): ConsumeResult {
  return { allowed: true, remaining, resetsAt };
}

function rejected(resetsAt = START + WINDOW_MS): ConsumeResult {
  return { allowed: false, remaining: 0, resetsAt };
}

/** Tests `RateLimiter`: exactly the limit per window, with exact window boundaries. */
export function testRateLimiter(runner: SuiteRunner, open: OpenStorage<"rateLimiter">): void {
  defineSuite({ runner, open, name: "RateLimiter" }, (test) => {
    test("counts down to zero, then rejects", async ({ rateLimiter }) => {
      for (const remaining of [2, 1, 0])
        assert.deepEqual(await rateLimiter.consume(request()), allowed(remaining));
      assert.deepEqual(await rateLimiter.consume(request()), rejected());
    });

    test("opens a window with the first request and ends it at the exact millisecond", async ({
      rateLimiter,
    }) => {
      for (const now of [START, START + 100, START + WINDOW_MS - 1])
        await rateLimiter.consume(request({ now }));
      assert.deepEqual(await rateLimiter.consume(request({ now: START + WINDOW_MS - 1 })), rejected());
      const next = START + WINDOW_MS;
      assert.deepEqual(await rateLimiter.consume(request({ now: next })), allowed(2, next + WINDOW_MS));
      const late = next + 10 * WINDOW_MS + 7;
      assert.deepEqual(await rateLimiter.consume(request({ now: late })), allowed(2, late + WINDOW_MS));
    });

    test("deletes only one account's windows", async ({ rateLimiter }) => {
      const others = [{ accountId: "acct_2" }, { accountId: "acct_" }];
      for (const change of [{}, { name: "usage" as const }, ...others])
        for (let count = 0; count < 3; count += 1) await rateLimiter.consume(request(change));
      await rateLimiter.deleteAccount({ accountId: "acct_1" });
      await rateLimiter.deleteAccount({ accountId: "acct_1" });
      for (const change of [{}, { name: "usage" as const }])
        assert.deepEqual(await rateLimiter.consume(request(change)), allowed(2));
      for (const change of others) assert.deepEqual(await rateLimiter.consume(request(change)), rejected());
    });

    test("consumes nothing for a rejected request", async ({ rateLimiter }) => {
      for (let count = 0; count < 10; count += 1) await rateLimiter.consume(request());
      // after the limit rises, only allowed requests count
      assert.deepEqual(await rateLimiter.consume(request({ limit: 5 })), allowed(1));
      // a limit of 0 opens no window
      const other = { accountId: "acct_2" };
      assert.deepEqual(await rateLimiter.consume(request({ ...other, limit: 0 })), rejected());
      const now = START + 1;
      assert.deepEqual(await rateLimiter.consume(request({ ...other, now })), allowed(2, now + WINDOW_MS));
      assert.deepEqual(
        await rateLimiter.consume(request({ ...other, limit: 0, now })),
        rejected(now + WINDOW_MS),
      );
    });

    test("applies a limit that changes within the window", async ({ rateLimiter }) => {
      await rateLimiter.consume(request({ limit: 10 }));
      await rateLimiter.consume(request({ limit: 10 }));
      assert.deepEqual(await rateLimiter.consume(request({ limit: 1 })), rejected());
      assert.deepEqual(await rateLimiter.consume(request({ limit: 4 })), allowed(1));
    });

    test("does not change the length of an open window", async ({ rateLimiter }) => {
      await rateLimiter.consume(request({ windowMs: 1000 }));
      assert.deepEqual(await rateLimiter.consume(request({ windowMs: 5000 })), allowed(1, START + 1000));
      const now = START + 1000;
      assert.deepEqual(await rateLimiter.consume(request({ windowMs: 5000, now })), allowed(2, now + 5000));
    });

    test("isolates accounts and limits with unusual ids", async ({ rateLimiter }) => {
      for (const accountId of UNUSUAL_STRINGS)
        for (const name of ["render", "cached", "usage", "submission"] as const)
          assert.deepEqual(await rateLimiter.consume(request({ accountId, name })), allowed(2));
    });

    test("allows exactly the limit of many concurrent requests", async ({ rateLimiter }) => {
      const limit = 20;
      const outcomes = await concurrently(() => rateLimiter.consume(request({ limit })));
      const remaining = outcomes.filter((outcome) => outcome.allowed).map((outcome) => outcome.remaining);
      assert.deepEqual(
        remaining.toSorted((a, b) => a - b),
        Array.from({ length: limit }, (_, index) => index),
      );
      assert.equal(outcomes.length - remaining.length, CONCURRENT_CALLS - limit);
    });

    testJumps(test);
  });
}

/** Tests windows that were opened before the clock was set, or by another process's clock. */
function testJumps(test: DefineTest<"rateLimiter">): void {
  test("makes no caller wait longer than one window after the clock is set back", async ({ rateLimiter }) => {
    const hour = 3_600_000;
    for (let count = 0; count < 3; count += 1) await rateLimiter.consume(request());
    const back = START - hour;
    // a rejected request also moves the end; otherwise, each retry would wait another whole window
    assert.deepEqual(await rateLimiter.consume(request({ now: back })), rejected(back + WINDOW_MS));
    const last = back + WINDOW_MS - 1;
    assert.deepEqual(await rateLimiter.consume(request({ now: last })), rejected(back + WINDOW_MS));
    const next = back + WINDOW_MS;
    assert.deepEqual(await rateLimiter.consume(request({ now: next })), allowed(2, next + WINDOW_MS));
  });

  test("opens no second window when the clock is set back during the first", async ({ rateLimiter }) => {
    await rateLimiter.consume(request());
    const back = START - 3_600_000;
    assert.deepEqual(await rateLimiter.consume(request({ now: back })), allowed(1, back + WINDOW_MS));
    assert.deepEqual(await rateLimiter.consume(request({ now: back + 1 })), allowed(0, back + WINDOW_MS));
    assert.deepEqual(await rateLimiter.consume(request({ now: back + 2 })), rejected(back + WINDOW_MS));
  });

  test("opens a window after the clock is set ahead, and none when it is set back", async ({
    rateLimiter,
  }) => {
    for (let count = 0; count < 3; count += 1) await rateLimiter.consume(request());
    const ahead = START + 3_600_000;
    assert.deepEqual(await rateLimiter.consume(request({ now: ahead })), allowed(2, ahead + WINDOW_MS));
    assert.deepEqual(await rateLimiter.consume(request()), allowed(1));
  });

  test("allows exactly the limit to processes whose clocks differ by a second", async ({ rateLimiter }) => {
    const limit = 20;
    const outcomes = await concurrently((index) =>
      rateLimiter.consume(request({ limit, now: START + (index % 2) * 1000 })),
    );
    assert.equal(outcomes.filter((outcome) => outcome.allowed).length, limit, "allowed requests");
  });
}
