import { describe, expect, it } from "vitest";
import { SnapError } from "../../src/errors.ts";
import { isComplete, openBatchBench, type BatchBench, type Customer } from "./open-engine.ts";

/*
 * The credits and rate limits that each step of a batch consumes.
 */

const LIMITS = { render: 20, cached: 300, usage: 60, submission: 10 } as const;

/** Returns the consumed credits and rate limits. Reading a limit consumes one request. */
async function consumptionOf(bench: BatchBench, { account }: Customer): Promise<Record<string, number>> {
  const consumed: Record<string, number> = { credits: (await bench.engine.credits(account)).used };
  for (const [name, limit] of Object.entries(LIMITS)) {
    const request = { accountId: account.id, name: name as keyof typeof LIMITS, limit, windowMs: 60_000 };
    const { remaining } = await bench.storage.rateLimiter.consume({ ...request, now: bench.clock.now() });
    consumed[name] = limit - 1 - remaining;
  }
  return consumed;
}

const nothing = { credits: 0, render: 0, cached: 0, usage: 0, submission: 0 };

const document = { items: [{ url: "https://example.com/a" }, { url: "https://example.com/b" }] };

describe("the consumption of credits and rate limits", () => {
  it.each<[string, Record<string, number>, (bench: BatchBench, principal: Customer) => Promise<unknown>]>([
    [
      "a submission",
      { submission: 1 },
      ({ engine }, principal) => engine.batches.submit({ principal, document }),
    ],
    [
      "a rejected submission",
      {},
      ({ engine }, principal) =>
        engine.batches.submit({ principal, document: { items: [] } }).catch(() => "rejected"),
    ],
    [
      "a submission and ten polls",
      { submission: 1 },
      async ({ engine }, principal) => {
        const { id: batchId } = await engine.batches.submit({ principal, document });
        for (let poll = 0; poll < 10; poll += 1) await engine.batches.get({ principal, batchId });
      },
    ],
    ["two rendered items", { submission: 1, render: 2, credits: 2 }, run],
    [
      "two captures and a batch of the same two",
      { submission: 1, render: 2, cached: 2, credits: 2 },
      async (bench, principal) => {
        for (const parameters of document.items) await bench.engine.capture({ principal, parameters });
        await run(bench, principal);
      },
    ],
    [
      "two failed items",
      { submission: 1, render: 2 },
      async (bench, principal) => {
        bench.renderer.failNext(new SnapError("render_timeout", "too slow"), 2);
        await run(bench, principal);
      },
    ],
  ])("for %s is %j", async (_name, expected, act) => {
    const bench = openBatchBench();
    const principal = await bench.customer({ requestsPerMinute: LIMITS.render });
    await act(bench, principal);
    expect(await consumptionOf(bench, principal)).toEqual({ ...nothing, ...expected });
  });
});

it("rejects the eleventh submission in a minute", async () => {
  const { engine, customer, clock } = openBatchBench();
  const principal = await customer();
  for (let submission = 0; submission < 10; submission += 1)
    await engine.batches.submit({ principal, document });
  await expect(engine.batches.submit({ principal, document })).rejects.toMatchObject({
    code: "rate_limited",
    status: 429,
    retryAfterSeconds: 60,
    rateLimit: { limit: 10, remaining: 0 },
  });
  clock.advance(60_000);
  expect((await engine.batches.submit({ principal, document })).status).toBe("pending");
});

async function run(bench: BatchBench, principal: Customer): Promise<void> {
  bench.engine.startWorker();
  const { id: batchId } = await bench.engine.batches.submit({ principal, document });
  await bench.until({ principal, batchId }, isComplete);
}
