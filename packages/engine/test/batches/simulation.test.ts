import { createFakeRandom, createFakeRenderer } from "@snap/testing";
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createEngine } from "../../src/create-engine.ts";
import type { BatchRecord } from "../../src/ports/batches.ts";
import type { Principal } from "../../src/ports/tokens.ts";
import { createWorld, drawFrom, type SimulatedProcess, type World } from "./simulated-world.ts";

/*
 * Batches, ledger and outbox together: each seed is a history of two processes over one storage, with
 * crashes before and after any call to the outside, stalls, failing pages, limits, spent credits,
 * other requests that take of the same limit, and receivers that fail. Whatever happens, at the end every item has
 * come to one end, the credits add up, and every webhook that was asked for has been seen to.
 *
 * One seed alone: SIMULATION_SEED=123 before the command that runs this file.
 */

const SEEDS = 10_000;
const PORTIONS = 10;
/** Longer than any reservation, lease, window and pause, many times over. */
const MAX_STEPS = 3000;

const asked = process.env["SIMULATION_SEED"];
const portions =
  asked === undefined
    ? Array.from({ length: PORTIONS }, (_, first) => ({ first, end: SEEDS }))
    : [{ first: Number(asked), end: Number(asked) + 1 }];

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
    if (step === MAX_STEPS) throw new Error("the batches did not come to an end");
    const alive = processes.find((known) => known.isAlive());
    if (alive !== undefined && submissions > 0 && draw() < 0.4) {
      submissions -= 1;
      submit(alive, pick(customers, draw), draw);
    }
    if (step < 30 && draw() < 0.2) await takeOfLimit(world, pick(customers, draw));
    await microtasks();
    world.clock.advance(Math.ceil(draw() * 3000));
    processes = processes.map((known) => (known.isAlive() || draw() < 0.8 ? known : world.start()));
  }
  for (const { kill } of processes) kill();
  await check(world, customers);
}

/** Every promise that can go on without the clock has gone on. */
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

/** One account whose limit its batches meet, and one whose credits don't suffice. */
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
    ].map(async (about) => {
      const account = await operator.accounts.create({ ...about, planSlug: "starter", verified: true });
      const { record, signingSecret } = await operator.tokens.create({ accountId: account.id });
      return { account, token: record, balance: null, signingSecret };
    }),
  );
}

/** Another request of the account, as far as its limit knows. */
async function takeOfLimit({ storage, clock }: World, { account }: Customer): Promise<void> {
  const limit = account.requestsPerMinute ?? 0;
  const now = clock.now();
  await storage.rateLimiter.consume({ accountId: account.id, name: "render", limit, windowMs: 60_000, now });
}

/** One of a few pages, so that some are in the cache. */
function page(draw: () => number): { readonly url: string } {
  return { url: `https://example.com/${Math.floor(draw() * 12)}` };
}

function submit({ engine }: SimulatedProcess, principal: Principal, draw: () => number): void {
  const urls = new Set(Array.from({ length: 1 + Math.floor(draw() * 6) }, () => page(draw).url));
  const webhook = draw() < 0.7 ? { webhookUrl: "https://example.com/hook" } : {};
  const document = { items: Array.from(urls, (url) => ({ url })), ...webhook };
  engine.batches.submit({ principal, document }).catch(() => {});
}

/** The newest version of every batch. */
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

/** What is terminal stays as it is; an item is begun at most three times without meeting a limit. */
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

/** At least once, never before the finish, always under the same id, each time signed anew. */
function checkWebhooks(world: World, customers: readonly Customer[]): void {
  const byBatch = Map.groupBy(world.received, ({ request }) => request.headers["X-Webhook-Id"] ?? "");
  const batches = newestOf(world);
  expect([...byBatch.keys()].filter((id) => !batches.some((batch) => batch.id === id))).toEqual([]);
  for (const batch of batches) {
    const attempts = byBatch.get(batch.id) ?? [];
    const owner = customers.find(({ token }) => token.id === batch.tokenId);
    for (const { request, at } of attempts) {
      expect(at).toBeGreaterThanOrEqual(batch.finishedAt ?? Infinity);
      // A process may have stood still between signing and sending.
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

/** The credits of the items are those that the ledger moved: one for each rendering, unless its process was lost. */
async function checkCredits(world: World, customers: readonly Customer[]): Promise<void> {
  const items = newestOf(world).flatMap((batch) => batch.items);
  const ofItems = items.reduce((sum, { state }) => sum + (state.status === "done" ? state.creditCost : 0), 0);
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
    // Credits that were only reserved when an item met them came back, and it went on.
    if (failedFor(world, account.id, "credit_limit_reached")) expect(balance.used).toBe(granted);
  }
  expect(used).toBe(ofItems);
  expect(used).toBeLessThanOrEqual(world.renderings);
  if (!world.disturbed) expect(used).toBe(world.renderings);
}

function failedFor(world: World, accountId: string, code: string): boolean {
  const items = newestOf(world).flatMap((batch) => (batch.accountId === accountId ? batch.items : []));
  return items.some(({ state }) => state.status === "failed" && state.code === code);
}
