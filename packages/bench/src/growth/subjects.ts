import { createEngine, parseParameters, type Storage } from "@snap/engine";
import { createHash, randomBytes } from "node:crypto";
import { newReservationId } from "../../../engine/src/credits/reservation.ts";
import { createCacheKey } from "../../../engine/src/parameters/cache-key.ts";
import { NO_RENDERER, SECRET_KEY } from "../service.ts";
import {
  accountId,
  ACCOUNTS,
  CREDITS,
  fillBatches,
  fillJournal,
  fillTokens,
  PERIOD,
  SECRET,
  type Fill,
} from "./fill.ts";

/** An operation whose cost must not grow with the amount of stored data. */
export interface Subject {
  readonly name: string;
  /** What `few` and `many` count, such as `tokens`. */
  readonly unit: string;
  readonly few: number;
  readonly many: number;
  readonly manyWhenQuick: number;
  readonly opsPerRound: number;
  readonly fill: Fill;
  /** Returns the operation. `index` selects the row; consecutive calls get different ones. */
  readonly createOperation: (storage: Storage) => (index: number) => Promise<void>;
}

/** No parameter is secret, so `digest` is never called. */
const cacheKey = createCacheKey({ digest: (secret) => secret });
const pageUrl = (index: number): string => `https://example.com/${index}`;

const cacheHit: Subject = {
  name: "a cache hit",
  unit: "renderings",
  few: 1_000,
  many: 1_000_000,
  manyWhenQuick: 100_000,
  opsPerRound: 2_000,
  fill(count) {
    const parameters = parseParameters({ url: pageUrl(0) });
    const bytes = Buffer.alloc(200, "a small body");
    const etag = createHash("sha256").update(bytes).digest("hex");
    const ROWS = 1000;
    const rowOf = (index: number): string =>
      `('${accountId(index)}', '${cacheKey({ ...parameters, url: pageUrl(index) })}', 'image/png', 200, '[]', '"${etag}"', 0, ${PERIOD.resetsAt}, x'${bytes.toString("hex")}')`;
    const inserts = Array.from({ length: Math.ceil(count / ROWS) }, (_, part) => {
      const rows = Array.from({ length: Math.min(ROWS, count - part * ROWS) }, (__, row) =>
        rowOf(part * ROWS + row),
      );
      return `INSERT INTO renderings (account_id, key, content_type, target_status, notes, etag, stored_at, expires_at, bytes) VALUES ${rows.join()}`;
    });
    return [...fillTokens(ACCOUNTS), ...inserts];
  },
  createOperation(storage) {
    // No memory cache, so every read goes to the storage.
    const engine = createEngine({
      storage,
      renderer: NO_RENDERER,
      secretKey: SECRET_KEY,
      memoryCacheBytes: 0,
    });
    return async (index) => {
      const principal = await engine.authenticate(`${(index % ACCOUNTS) + 1}|${SECRET}`);
      await engine.capture({ principal, parameters: { url: pageUrl(index) } });
    };
  },
};

const tokenLookup: Subject = {
  name: "a token lookup",
  unit: "tokens",
  few: 1_000,
  many: 1_000_000,
  manyWhenQuick: 100_000,
  opsPerRound: 10_000,
  fill: fillTokens,
  createOperation: (storage) => async (index) => {
    if ((await storage.tokens.find(index + 1)) === null) throw new Error(`token ${index + 1} not found`);
  },
};

const reservation: Subject = {
  name: "a reservation and its settlement",
  unit: "journal entries",
  // The measured operations add 36,000 entries to either side.
  few: 100_000,
  many: 10_000_000,
  manyWhenQuick: 1_000_000,
  opsPerRound: 2_000,
  fill: fillJournal,
  createOperation: (storage) => async (index) => {
    const now = Date.now();
    const reservationId = newReservationId({ bytes: randomBytes }, now);
    const { reserved } = await storage.ledger.reserve({
      accountId: accountId(index),
      period: PERIOD,
      granted: CREDITS,
      reservationId,
      now,
      lapsesAt: now + 60_000,
    });
    if (!reserved) throw new Error("not reserved");
    await storage.ledger.settle({ reservationId, now });
  },
};

const batchQueue: Subject = {
  name: "a batch item claimed and requeued",
  unit: "queued batches",
  few: 10,
  many: 10_000,
  manyWhenQuick: 5_000,
  opsPerRound: 300,
  fill: fillBatches,
  createOperation: (storage) => async () => {
    const now = Date.now();
    const [due] = await storage.batches.dueItems({ now, limit: 1, exceptAccounts: [] });
    if (due === undefined) throw new Error("no item is due");
    for (const state of [
      { status: "rendering", leaseEndsAt: now + 20_000, starts: 1, fence: 1, limitedSince: null },
      { status: "queued", dueAt: 0, starts: 1, fence: 1, limitedSince: null },
    ] as const)
      await storage.batches.change({
        batchId: due.batchId,
        now,
        change: (batch) => ({
          ...batch,
          items: batch.items.map((item) => (item.id === due.itemId ? { ...item, state } : item)),
        }),
      });
  },
};

export const SUBJECTS: readonly Subject[] = [cacheHit, tokenLookup, reservation, batchQueue];
