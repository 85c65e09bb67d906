import type { BatchRecord, StoredRendering } from "@snap/engine/ports";
import { createInterface } from "node:readline";
import { withState } from "../../testing/src/suites/batch-samples.ts";
import { sampleRendering as sample } from "../../testing/src/suites/rendering-samples.ts";
import { openSqliteStorage } from "../src/index.ts";
import { sampleBatch } from "./sample-batch.ts";

/*
 * A second process on a storage. Prints `ready`, and waits for a line on stdin, so several start at
 * the same time. Then runs its task, which prints its outcomes, except `store`; `churn` and
 * `submitAndProcess` run until they are killed.
 */
const [task = "", filename = "", name = "", now = "1"] = process.argv.slice(2);
const balanceRequest = {
  accountId: "acct_1",
  period: { startedAt: 0, resetsAt: 2_000_000 },
  granted: 1_000_000,
};

async function consume(): Promise<void> {
  const storage = await openSqliteStorage({ filename, busyTimeoutMs: 20_000 });
  let reserved = 0;
  let allowed = 0;
  for (let index = 0; index < 50; index += 1) {
    const reservationId = `${name}-${index}`;
    const outcome = await storage.ledger.reserve({
      ...balanceRequest,
      granted: 70,
      reservationId,
      now: 1,
      lapsesAt: 1000,
    });
    if (outcome.reserved) reserved += 1;
    const request = { accountId: "acct_1", name: "render", limit: 60, windowMs: 1000, now: 1 } as const;
    if ((await storage.rateLimiter.consume(request)).allowed) allowed += 1;
  }
  await storage.close();
  process.stdout.write(`${reserved} ${allowed}\n`);
}

async function store(): Promise<void> {
  const storage = await openSqliteStorage({ filename, busyTimeoutMs: 20_000 });
  await storage.renderings.put({ accountId: "acct_1", key: "0", rendering: sampleRendering(0) });
}

function sampleRendering(index: number): StoredRendering {
  const bytes = new Uint8Array(20_000).fill(index);
  return { ...sample({ bytes, storedAt: 1, expiresAt: 1000 }), etag: `"${index % 256}"` };
}

async function churn(): Promise<void> {
  const storage = await openSqliteStorage({ filename, busyTimeoutMs: 20_000 });
  for (let index = 0; ; index += 1) {
    const reservationId = `${name}-${index}`;
    await storage.ledger.reserve({
      ...balanceRequest,
      reservationId,
      now: index,
      lapsesAt: index + 1_000_000,
    });
    const rendering = sampleRendering(index);
    await storage.renderings.put({ accountId: "acct_1", key: `${index % 10}`, rendering });
    const end = index % 2 === 0 ? "settle" : "refund";
    let resolution = await storage.ledger[end]({ reservationId, now: index });
    if (index % 4 === 0) resolution = await storage.ledger.reverse({ reservationId, now: index });
    process.stdout.write(`${reservationId} ${resolution}\n`);
  }
}

/** Processes all batches until nothing is due at `now`; then exits, or submits another batch if `isEndless`. */
async function processBatches(isEndless: boolean): Promise<void> {
  const storage = await openSqliteStorage({ filename, busyTimeoutMs: 20_000 });
  const { batches, ledger } = storage;
  const instant = Number(now);
  for (let submitted = 0; ;) {
    const [due] = await batches.dueItems({ now: instant, limit: 1, exceptAccounts: [] });
    if (due === undefined) {
      if (!isEndless) break;
      submitted += 1;
      await batches.insert(sampleBatch(`${name}-${submitted}`));
      continue;
    }
    const { batchId, itemId } = due;
    const request = { batchId, now: instant };
    const claimed = await batches.change({ ...request, change: (batch) => claim(batch, itemId, instant) });
    if (claimed === null) continue;
    process.stdout.write(`claimed ${batchId}/${itemId}\n`);
    const reservationId = `${name}-${batchId}/${itemId}`;
    await ledger.reserve({ ...balanceRequest, reservationId, now: instant, lapsesAt: instant + 1_000_000 });
    const done = await batches.change({
      ...request,
      settle: reservationId,
      change: (batch, settled) => (settled === "settled" ? finish(batch, itemId, instant) : null),
    });
    process.stdout.write(`${done === null ? "lost" : "done"} ${batchId}/${itemId}\n`);
  }
  await storage.close();
  process.stdout.write("idle\n");
}

function claim(batch: BatchRecord, itemId: string, instant: number): BatchRecord | null {
  const state = batch.items.find(({ id }) => id === itemId)?.state;
  if (state?.status !== "queued" && state?.status !== "rendering") return null;
  if ((state.status === "queued" ? state.dueAt : state.leaseEndsAt) > instant) return null;
  const { starts, fence, limitedSince } = state;
  const held = { starts: starts + 1, fence: fence + 1, limitedSince, leaseEndsAt: instant + 1000 };
  return withState(batch, { status: "rendering", ...held }, itemId);
}

function finish(batch: BatchRecord, itemId: string, instant: number): BatchRecord {
  const done = { status: "done", etag: '"1"', targetStatus: 200, expiresAt: 1000, creditCost: 1 } as const;
  const next = withState(batch, done, itemId);
  if (!next.items.every(({ state }) => state.status === "done")) return next;
  const delivery = { status: "due", dueAt: instant, attempts: 0, fence: 0 } as const;
  return { ...next, finishedAt: instant, prunesAt: instant + 1000, delivery };
}

const TASKS: Readonly<Record<string, () => Promise<void>>> = {
  consume,
  store,
  churn,
  processBatches: () => processBatches(false),
  submitAndProcess: () => processBatches(true),
};

process.stdout.write("ready\n");
for await (const _ of createInterface({ input: process.stdin })) break;
await TASKS[task]?.();
process.exit();
