import { createFakeRandom, createFakeRenderer } from "@snap/testing";
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createEngine } from "../../src/create-engine.ts";
import type { BatchRecord } from "../../src/ports/batches.ts";
import type { Principal } from "../../src/ports/tokens.ts";
import { createWorld, drawFrom, type SimulatedProcess, type World } from "./simulated-world.ts";

/*
 * Simulates batches, ledger and webhooks. Each seed is a history of two processes with a shared storage: crashes before
 * and after any external call, stalls, failing pages, rate limits, exhausted credits, other requests of the account, and
 * failing receivers. At the end every item has finished once, the credits add up, and every webhook is delivered or
 * abandoned.
 *
 * To run a single seed, set SIMULATION_SEED=123.
 */

const SEEDS = 10_000;
const PORTIONS = 10;
/** Much longer than every reservation, lease, window and pause. */
const MAX_STEPS = 3000;

const seedOption = process.env["SIMULATION_SEED"];
const portions =
  seedOption === undefined
    ? Array.from({ length: PORTIONS }, (_, first) => ({ first, end: SEEDS }))
    : [{ first: Number(seedOption), end: Number(seedOption) + 1 }];

describe("the simulation", () => {
  it.each(portions)(
    "every tenth seed from $first",
    async ({ first, end }) => {
      for (let seed = first; seed < end; seed += PORTIONS)
        await expect(simulate(seed), `SIMULATION_SEED=${seed}`).resolves.toBeUndefined();
    },
    300_000,
  );
});

interface Customer extends Principal {
  readonly signingSecret: string;
}

async function simulate(seed: number): Promise<void> {
  const draw = drawFrom(seed);
  const world = createWorld(draw);
  const customers = await createCustomers(world);
  let processes: readonly SimulatedProcess[] = [world.start(), world.start()];
  let submissions = 1 + Math.floor(draw() * 3);
  for (let step = 0; submissions > 0 || step < 30 || !isOver(world); step += 1) {
    if (step === MAX_STEPS) throw new Error("the batches did not finish");
    const alive = processes.find(({ isAlive }) => isAlive());
    if (alive !== undefined && submissions > 0 && draw() < 0.4) {
      submissions -= 1;
      submit(alive, pick(customers, draw), draw);
    }
    if (step < 30 && draw() < 0.2) await consumeLimit(world, pick(customers, draw));
    await microtasks();
    world.clock.advance(Math.ceil(draw() * 3000));
    processes = processes.map((process) => (process.isAlive() || draw() < 0.8 ? process : world.start()));
  }
  for (const { kill } of processes) kill();
  await check(world, customers);
}

/** Waits for all promises that do not depend on the clock. */
function microtasks(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function pick<T>(values: readonly T[], draw: () => number): T {
  const value = values[Math.floor(draw() * values.length)];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

/** Creates an account with a low rate limit, and one with too few credits. */
async function createCustomers({ clock, storage }: World): Promise<readonly Customer[]> {
  const operator = createEngine({
    storage,
    renderer: createFakeRenderer(),
    secretKey: "a key for these tests",
    clock,
    random: createFakeRandom(1),
  });
  return Promise.all(
    [
      { email: "a@example.com", creditsPerPeriod: 1000, requestsPerMinute: 4 },
      { email: "b@example.com", creditsPerPeriod: 5, requestsPerMinute: 20 },
    ].map(async (options) => {
      const account = await operator.accounts.create({ ...options, planSlug: "starter", verified: true });
      const { record, signingSecret } = await operator.tokens.create({ accountId: account.id });
      return { account, token: record, balance: null, signingSecret };
    }),
  );
}

/** Consumes the rate limit as another request of the account would. */
async function consumeLimit({ storage, clock }: World, { account }: Customer): Promise<void> {
  const limit = account.requestsPerMinute ?? 0;
  const now = clock.now();
  await storage.rateLimiter.consume({ accountId: account.id, name: "render", limit, windowMs: 60_000, now });
}

/** Picks one of a few pages, so some are already cached. */
function page(draw: () => number): { readonly url: string } {
  return { url: `https://example.com/${Math.floor(draw() * 12)}` };
}

function submit({ engine }: SimulatedProcess, principal: Principal, draw: () => number): void {
  const urls = new Set(Array.from({ length: 1 + Math.floor(draw() * 6) }, () => page(draw).url));
  const webhook = draw() < 0.7 ? { webhookUrl: "https://example.com/hook" } : {};
  const document = { items: Array.from(urls, (url) => ({ url })), ...webhook };
  engine.batches.submit({ principal, document }).catch(() => {});
}

/** Returns the newest version of every batch. */
function newestOf({ history }: World): readonly BatchRecord[] {
  return [...new Map(history.map((batch) => [batch.id, batch])).values()];
}

function isOver(world: World): boolean {
  return newestOf(world).every(
    ({ finishedAt, delivery }) =>
      finishedAt !== null &&
      (delivery === null || delivery.status === "delivered" || delivery.status === "abandoned"),
  );
}

async function check(world: World, customers: readonly Customer[]): Promise<void> {
  checkHistory(world);
  checkWebhooks(world, customers);
  await checkCredits(world, customers);
}

/** A finished item does not change; an item starts at most three times without meeting a limit. */
function checkHistory({ history }: World): void {
  const ended = new Map<string, unknown>();
  for (const batch of history) {
    for (const { id, state } of batch.items) {
      if ("starts" in state) expect(state.starts).toBeLessThanOrEqual(3);
      if (ended.has(id)) expect(state).toEqual(ended.get(id));
      else if (state.status === "done" || state.status === "failed") ended.set(id, state);
    }
    const isFinished = batch.items.every(({ id }) => ended.has(id));
    expect(batch.finishedAt !== null).toBe(isFinished);
    if (batch.webhookUrl !== null) expect(batch.delivery !== null).toBe(isFinished);
  }
}

/** Every webhook is sent at least once, after the batch is finished, with the same id and a new signature. */
function checkWebhooks(world: World, customers: readonly Customer[]): void {
  const byBatch = Map.groupBy(world.received, ({ request }) => request.headers["X-Webhook-Id"] ?? "");
  const batches = newestOf(world);
  expect([...byBatch.keys()].filter((id) => !batches.some((batch) => batch.id === id))).toEqual([]);
  for (const batch of batches) {
    const attempts = byBatch.get(batch.id) ?? [];
    const owner = customers.find(({ token }) => token.id === batch.tokenId);
    for (const { request, at } of attempts) {
      expect(at).toBeGreaterThanOrEqual(batch.finishedAt ?? Infinity);
      // a process may have stalled between signing and sending
      const timestamp = request.headers["X-Webhook-Timestamp"] ?? "";
      expect(Number(timestamp) * 1000).toBeLessThanOrEqual(at);
      const signed = `snap-webhook-v1\n${timestamp}\n${new TextDecoder().decode(request.body)}`;
      expect(request.headers["X-Webhook-Signature"]).toBe(
        createHmac("sha256", owner?.signingSecret ?? "")
          .update(signed)
          .digest("hex"),
      );
      const document = JSON.parse(new TextDecoder().decode(request.body)) as Record<string, unknown>;
      expect(document).toMatchObject({ id: batch.id, status: "complete", webhook: { delivered_at: null } });
    }
    if (batch.webhookUrl === null) expect(attempts).toEqual([]);
    if (batch.delivery?.status === "delivered")
      expect(attempts.some(({ acknowledged }) => acknowledged)).toBe(true);
    if (batch.delivery?.status === "abandoned")
      expect(batch.delivery.attempts).toBeGreaterThanOrEqual(attempts.length);
  }
}

/** The credits of the items match the ledger: one per rendering, except for those of lost processes. */
async function checkCredits(world: World, customers: readonly Customer[]): Promise<void> {
  const items = newestOf(world).flatMap((batch) => batch.items);
  const itemCredits = items.reduce(
    (sum, { state }) => sum + (state.status === "done" ? state.creditCost : 0),
    0,
  );
  world.clock.advance(120_000);
  let used = 0;
  for (const { account } of customers) {
    const granted = account.creditsPerPeriod ?? 0;
    const period = { startedAt: account.createdAt, resetsAt: Date.parse("2026-04-01T12:00:00Z") };
    const now = world.clock.now();
    const balance = await world.storage.ledger.balance({ accountId: account.id, period, granted, now });
    expect(balance).toMatchObject({ granted, reserved: 0 });
    expect(balance.used).toBeLessThanOrEqual(granted);
    const journal = await world.storage.ledger.journal({ accountId: account.id, limit: 10_000 });
    const count = (kind: string): number => journal.filter((entry) => entry.kind === kind).length;
    expect(count("reserve")).toBe(count("settle") + count("refund") + count("lapse"));
    expect(balance.used).toBe(count("settle"));
    used += balance.used;
    // an item fails only if all credits are used, not if some are reserved
    if (failedFor(world, account.id, "credit_limit_reached")) expect(balance.used).toBe(granted);
  }
  expect(used).toBe(itemCredits);
  expect(used).toBeLessThanOrEqual(world.renderings);
  if (!world.disturbed) expect(used).toBe(world.renderings);
}

function failedFor(world: World, accountId: string, code: string): boolean {
  const items = newestOf(world).flatMap((batch) => (batch.accountId === accountId ? batch.items : []));
  return items.some(({ state }) => state.status === "failed" && state.code === code);
}
