import { expect, it } from "vitest";
import { openTestEngine } from "./open-test-engine.ts";

it.each([3_024_000_000, null])("createEngine accepts a retention of the journal of %s ms", async (ms) => {
  await expect(openTestEngine({ journalRetentionMs: ms }).close()).resolves.toBeUndefined();
});

it.each([3_023_999_999, Number.POSITIVE_INFINITY, Number.NaN])(
  "createEngine rejects a retention of the journal of %s ms",
  (ms) => {
    expect(() => openTestEngine({ journalRetentionMs: ms })).toThrow(
      new RangeError("journalRetentionMs must be an integer of at least 3024000000 (35 days), or null"),
    );
  },
);

it.each([1, 7_776_000_000, null])("createEngine accepts a retention of the history of %s ms", async (ms) => {
  await expect(openTestEngine({ historyRetentionMs: ms }).close()).resolves.toBeUndefined();
});

it.each([0, 7_776_000_001, Number.NaN])("createEngine rejects a retention of the history of %s ms", (ms) => {
  expect(() => openTestEngine({ historyRetentionMs: ms })).toThrow(
    new RangeError("historyRetentionMs must be an integer from 1 to 7776000000 (90 days), or null"),
  );
});

it.each([
  ["concurrency", 0, 1, 2_147_483_647],
  ["maxWaiting", 0, 1, 2_147_483_647],
  ["maxWaitingPerAccount", 1.5, 1, 2_147_483_647],
  ["maxWaitMs", Number.POSITIVE_INFINITY, 0, 2_147_483_647],
  ["reservationLeaseMs", 0, 1, 2_147_483_647],
  ["maxRenderingBytes", Number.NaN, 1, 9_007_199_254_740_991],
  ["memoryCacheBytes", -1, 0, 9_007_199_254_740_991],
  ["batchRetentionMs", 0, 1, 3_153_600_000_000],
  ["batchRetryWindowMs", -1, 0, 2_147_483_647],
  ["itemLeaseMs", 2_147_483_648, 1, 2_147_483_647],
])("createEngine rejects %s: %s", (name, value, min, max) => {
  expect(() => openTestEngine({ [name]: value })).toThrow(
    new RangeError(`${name} must be an integer from ${min} to ${max}`),
  );
});

it.each([-1, 0.5, Number.NaN])("createEngine rejects a delay of webhook retries of %s ms", (ms) => {
  expect(() => openTestEngine({ webhookRetryDelaysMs: [1000, ms] })).toThrow(
    new RangeError("webhookRetryDelaysMs must be integers from 0 to 3153600000000 (100 years)"),
  );
});

it("createEngine rejects an unknown isolation", () => {
  expect(() => openTestEngine({ isolation: "accounts" as "account" })).toThrow(
    new RangeError('isolation must be "shared" or "account"'),
  );
});

it("createEngine applies the default of an option that is undefined", async () => {
  const names = ["plans", "targets", "concurrency", "maxWaiting", "maxWaitMs", "maxRenderingBytes", "clock"];
  const engine = openTestEngine(Object.fromEntries(names.map((name) => [name, undefined])));
  const { token } = await engine.accounts.ensure({ email: "ada@example.com", planSlug: "starter" });
  const principal = await engine.authenticate(token);
  await expect(
    engine.capture({ principal, parameters: { url: "https://example.com/" } }),
  ).resolves.toMatchObject({ cache: "miss" });
  await engine.close();
});
