import type { AttemptRecord, PageFacts, RenderingKey, Storage } from "@snap/engine/ports";
import { describe, expect, it } from "vitest";
import { createMemoryStorage } from "../src/index.ts";
import { findFailures } from "./find-failures.ts";

describe("the suites", () => {
  it("pass a correct storage", async () => {
    expect(await findFailures(() => ({}))).toEqual([]);
  });

  it("pass a correct storage even after a faulty one that returns the objects it was given", async () => {
    const failures = await findFailures(({ batches }) => {
      const attempts: AttemptRecord[] = [];
      return {
        batches: {
          ...batches,
          recordAttempt: async (attempt) => void attempts.unshift(attempt),
          attempts: async () => ({ entries: attempts, hasMore: false }),
        },
      };
    });
    expect(failures).toContain("returns every field of an attempt");
    expect(await findFailures(() => ({}))).toEqual([]);
  });

  it.each<[string, (storage: Storage) => Partial<Storage>, string]>([
    [
      "returns a rendering for a millisecond too long",
      ({ renderings }) => ({
        renderings: { ...renderings, get: (request) => renderings.get({ ...request, now: request.now - 1 }) },
      }),
      "expires a rendering at the exact millisecond",
    ],
    [
      "prunes more than the limit",
      ({ renderings }) => ({
        renderings: { ...renderings, prune: ({ now, limit }) => renderings.prune({ now, limit: limit + 1 }) },
      }),
      "prunes expired renderings up to the limit",
    ],
    [
      "returns the renderings of another account",
      ({ renderings }) => ({
        renderings: {
          ...renderings,
          get: (request) => renderings.get({ ...request, accountId: "acct_1" }),
          put: (request) => renderings.put({ ...request, accountId: "acct_1" }),
        },
      }),
      "isolates accounts and keys with unusual names",
    ],
    [
      "ignores the quota",
      ({ renderings }) => ({
        renderings: { ...createMemoryStorage().renderings, stats: () => renderings.stats() },
      }),
      "evicts the oldest renderings of a single account",
    ],
    [
      "evicts the newest rendering of an account",
      ({ renderings }) => ({
        renderings: {
          ...renderings,
          put: ({ rendering, ...key }) =>
            renderings.put({ ...key, rendering: { ...rendering, storedAt: -rendering.storedAt } }),
        },
      }),
      "evicts the oldest renderings of a single account",
    ],
    [
      "evicts the oldest rendering, whichever account it belongs to",
      ({ renderings }) => {
        const keys: RenderingKey[] = [];
        return {
          renderings: {
            ...renderings,
            async put({ rendering, ...key }) {
              if (keys.push(key) > 10) await renderings.delete(keys.shift() ?? key);
              await renderings.put({ ...key, rendering });
            },
          },
        };
      },
      "evicts from the account above its share, not from one below it",
    ],
    [
      "counts a rendering again when it is replaced",
      ({ renderings }) => {
        let puts = 0;
        return {
          renderings: {
            ...renderings,
            put: (request) => ((puts += 1), renderings.put(request)),
            async stats() {
              const stats = await renderings.stats();
              return stats && { ...stats, bytes: puts * 10_000 };
            },
          },
        };
      },
      "counts each rendering once, as its bytes plus 4,096",
    ],
    [
      "returns the caller's own `page` object",
      ({ renderings }) => {
        let page: PageFacts | undefined;
        return {
          renderings: {
            ...renderings,
            put: (request) => ((page = request.rendering.page), renderings.put(request)),
            async get(request) {
              const found = await renderings.get(request);
              return found && page ? { ...found, page } : found;
            },
          },
        };
      },
      "isolates stored records from its arguments and results",
    ],
    [
      "prunes periods despite a limit of 0",
      ({ ledger }) => ({
        ledger: {
          ...ledger,
          prune: (request) => ledger.prune({ ...request, limit: Math.max(1, request.limit) }),
        },
      }),
      "deletes nothing with a limit of 0",
    ],
    [
      "lets a reservation lapse a millisecond late",
      ({ ledger }) => ({
        ledger: { ...ledger, settle: (request) => ledger.settle({ ...request, now: request.now - 1 }) },
      }),
      "lapses a reservation at the exact instant; a later settlement changes nothing",
    ],
    [
      "reserves another credit for a repeated reservation",
      ({ ledger }) => {
        let repeats = 0;
        return {
          ledger: {
            ...ledger,
            reserve: (request) => {
              repeats += 1;
              return ledger.reserve({ ...request, reservationId: `${request.reservationId}/${repeats}` });
            },
          },
        };
      },
      "returns the first result for a repeated reservation, and reserves nothing",
    ],
    [
      "ignores a changed grant",
      ({ ledger }) => ({
        ledger: { ...ledger, balance: (request) => ledger.balance({ ...request, granted: 10 }) },
      }),
      "applies a grant that changes within the period",
    ],
    [
      "does not reverse a settled reservation",
      ({ ledger }) => ({ ledger: { ...ledger, reverse: (request) => ledger.refund(request) } }),
      "reverses a charge once",
    ],
    [
      "ignores the filter of a request for a page",
      ({ accounts }) => ({
        accounts: { ...accounts, page: ({ after, limit }) => accounts.page({ after, limit }) },
      }),
      "returns pages in order of creation, for each filter",
    ],
    [
      "includes the entries of earlier pages in `more`",
      ({ batches }) => ({
        batches: {
          ...batches,
          async page({ after, limit, ...filter }) {
            const { entries } = await batches.page({ after, limit, ...filter });
            const all = await batches.page({ limit: 1000, ...filter });
            return { entries, more: all.entries.length - entries.length };
          },
        },
      }),
      "returns pages, the most recently submitted batch first, for each filter",
    ],
    [
      "audits only the first portion",
      ({ ledger }) => ({
        ledger: {
          ...ledger,
          audit: async (request) => ({ ...(await ledger.audit(request)), next: null }),
        },
      }),
      "returns portions in order of account id",
    ],
    [
      "looks for one account's periods only in the first portion",
      ({ ledger }) => ({
        ledger: {
          ...ledger,
          async audit({ accountId, ...request }) {
            const portion = await ledger.audit(request);
            if (accountId === undefined) return portion;
            return { periods: portion.periods.filter((one) => one.accountId === accountId), next: null };
          },
        },
      }),
      "returns one account's periods even if more accounts than the limit come before it",
    ],
    [
      "reads an account before the write transaction",
      ({ accounts }) => ({
        accounts: {
          ...accounts,
          async update(id, change) {
            const account = await accounts.find(id);
            return account === null ? null : accounts.update(id, { ...account, ...change });
          },
        },
      }),
      "preserves concurrent changes",
    ],
    [
      "ends a rate limit window a millisecond late",
      ({ rateLimiter }) => ({
        rateLimiter: {
          ...rateLimiter,
          consume: (request) => rateLimiter.consume({ ...request, windowMs: request.windowMs + 1 }),
        },
      }),
      "opens a window with the first request and ends it at the exact millisecond",
    ],
    [
      "does not move the end of a window when the clock is set back",
      ({ rateLimiter }) => {
        let latest = 0;
        return {
          rateLimiter: {
            ...rateLimiter,
            consume: (request) => {
              latest = Math.max(latest, request.now);
              return rateLimiter.consume({ ...request, now: latest });
            },
          },
        };
      },
      "makes no caller wait longer than one window after the clock is set back",
    ],
    [
      "finds a revoked token",
      ({ tokens }) => ({ tokens: { ...tokens, revoke: async () => true } }),
      "does not find a revoked token",
    ],
    [
      "lets a second overlap end an earlier one",
      ({ tokens }) => ({
        tokens: {
          ...tokens,
          async rotate(id, next) {
            const rotation = await tokens.rotate(id, next);
            if (rotation?.rotated !== false) return rotation;
            await tokens.rotate(id, { ...next, overlapEndsAt: null });
            return tokens.rotate(id, next);
          },
        },
      }),
      "does not allow a second overlap to end an earlier one",
    ],
    [
      "peeks at an expired rendering",
      ({ renderings }) => ({
        renderings: {
          ...renderings,
          peek: (request) => renderings.peek({ ...request, now: request.now - 1 }),
        },
      }),
      "expires a rendering at the exact millisecond",
    ],
    [
      "lets a second holder acquire a lease",
      ({ renderLeases }) => ({
        renderLeases: renderLeases && {
          ...renderLeases,
          acquire: async (claim) => (await renderLeases.acquire(claim), "acquired" as const),
        },
      }),
      "allows only one of many concurrent holders to acquire a lease",
    ],
    [
      "lets any holder release a lease",
      ({ renderLeases }) => {
        let holder = "";
        return {
          renderLeases: renderLeases && {
            ...renderLeases,
            async acquire(claim) {
              const state = await renderLeases.acquire(claim);
              if (state !== "held") holder = claim.holder;
              return state;
            },
            release: (claim) => renderLeases.release({ ...claim, holder }),
          },
        };
      },
      "ignores a release by another holder or of a free lease",
    ],
    [
      "never raises the priority of a lease",
      ({ renderLeases }) => ({
        renderLeases: renderLeases && {
          ...renderLeases,
          acquire: (claim) => renderLeases.acquire({ ...claim, priority: "batch" }),
        },
      }),
      "returns `raised` to the holder after an interactive request is denied",
    ],
    [
      "ignores the linger time of a lease",
      ({ renderLeases }) => ({
        renderLeases: renderLeases && {
          ...renderLeases,
          release: (claim) => renderLeases.release({ ...claim, lingerMs: 0 }),
        },
      }),
      "denies a lingering lease to every holder",
    ],
    [
      "returns a document for a millisecond too long",
      ({ documents }) => ({
        documents: { ...documents, find: (request) => documents.find({ ...request, now: request.now - 1 }) },
      }),
      "expires a document at the exact millisecond",
    ],
    [
      "shortens the life of a document that is stored again",
      ({ documents }) => ({
        documents: {
          ...documents,
          async put(request) {
            const key = { ...request.document, now: request.document.storedAt };
            await documents.delete(key);
            return documents.put(request);
          },
        },
      }),
      "extends only the expiry when a document is stored again, and never shortens it",
    ],
    [
      "checks the quota and stores a document in two steps",
      ({ documents }) => {
        let bytes = 0;
        return {
          documents: {
            ...documents,
            async put(request) {
              const isExceeded = bytes + request.document.bytes > request.quota.bytes;
              const used = { documents: 0, bytes };
              if (isExceeded) return { stored: false, exceeded: "bytes", used };
              await Promise.resolve();
              bytes += request.document.bytes;
              return documents.put({ ...request, quota: { documents: 1e6, bytes: 1e9 } });
            },
          },
        };
      },
      "never exceeds a quota with concurrent uploads",
    ],
    [
      "does not prune",
      ({ renderings }) => ({ renderings: { ...renderings, prune: async () => 0 } }),
      "prunes expired renderings up to the limit",
    ],
  ])("fail a storage that %s", async (_, inject, failing) => {
    expect(await findFailures(inject, failing)).toEqual([failing]);
  });
});
