import { createMemoryStorage } from "@snap/testing";
import { expect, it } from "vitest";
import type { Storage } from "../src/ports/storage.ts";
import { createPrincipal, openTestEngine } from "./open-test-engine.ts";

it.each([3_024_000_000, null])("createEngine accepts journalRetentionMs: %s", async (ms) => {
  await expect(openTestEngine({ journalRetentionMs: ms }).close()).resolves.toBeUndefined();
});

it.each([3_023_999_999, Number.POSITIVE_INFINITY, Number.NaN])(
  "createEngine rejects journalRetentionMs: %s",
  (ms) => {
    expect(() => openTestEngine({ journalRetentionMs: ms })).toThrow(
      new RangeError("journalRetentionMs must be an integer of at least 3024000000 (35 days), or null"),
    );
  },
);

it.each([1, 7_776_000_000, null])("createEngine accepts historyRetentionMs: %s", async (ms) => {
  await expect(openTestEngine({ historyRetentionMs: ms }).close()).resolves.toBeUndefined();
});

it.each([0, 7_776_000_001, Number.NaN])("createEngine rejects historyRetentionMs: %s", (ms) => {
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

it.each([-1, 0.5, Number.NaN])("createEngine rejects a webhook retry delay of %s ms", (ms) => {
  expect(() => openTestEngine({ webhookRetryDelaysMs: [1000, ms] })).toThrow(
    new RangeError("webhookRetryDelaysMs must be integers from 0 to 3153600000000 (100 years)"),
  );
});

it("createEngine rejects an unknown isolation", () => {
  expect(() => openTestEngine({ isolation: "accounts" as "account" })).toThrow(
    new RangeError('isolation must be "shared" or "account"'),
  );
});

it.each([
  "snap.example.com/v1",
  "ftp://snap.example.com/v1",
  "https://snap.example.com/v1/",
  "https://x/v1?a=b",
])("createEngine rejects the base URL %s", (baseUrl) => {
  expect(() => openTestEngine({ baseUrl })).toThrow(
    new RangeError(
      "baseUrl must be an http or https URL without a query, a fragment or a final slash, such as https://snap.example.com/v1",
    ),
  );
});

it.each([
  [[], "plans are invalid: plans: must contain at least one plan"],
  [
    [{ slug: "team", name: "Team", creditsPerPeriod: 1.5, requestsPerMinute: 60 }],
    "plans are invalid: 0.creditsPerPeriod: Invalid input: expected int, received number",
  ],
])("createEngine rejects the plans %j", (plans, message) => {
  expect(() => openTestEngine({ plans })).toThrow(new RangeError(message));
});

it("createEngine starts nothing if its secret key is too short", () => {
  const { promise: queried, resolve: onQuery } = Promise.withResolvers<void>();
  const server = { name: "database", now: async () => (onQuery(), 0) };
  const storage = { ...createMemoryStorage(), clocks: [server] };
  expect(() => openTestEngine({ storage, secretKey: "short" })).toThrow("secretKey must be at least 16");
  return expect(Promise.race([queried, Promise.resolve("nothing")])).resolves.toBe("nothing");
});

it("an engine works with a storage that inherits its stores from a prototype", async () => {
  const engine = openTestEngine({ storage: Object.create(createMemoryStorage()) as Storage });
  const principal = await createPrincipal(engine);
  const capture = engine.capture({ principal, parameters: { url: "https://example.com/" } });
  await expect(capture).resolves.toMatchObject({ cache: "miss", creditCost: 1 });
  await engine.close();
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
