import type { Storage } from "@snap/engine/ports";
import { describe, expect, it } from "vitest";
import { failuresOf } from "./failures-of.ts";

describe("the suites", () => {
  it("pass a storage that keeps the contract", async () => {
    expect(await failuresOf(() => ({}))).toEqual([]);
  });

  it.each<[string, (storage: Storage) => Partial<Storage>, string]>([
    [
      "answers a rendering for a millisecond too long",
      ({ renderings }) => ({
        renderings: { ...renderings, get: (request) => renderings.get({ ...request, now: request.now - 1 }) },
      }),
      "expires to the millisecond",
    ],
    [
      "prunes more than it was asked to",
      ({ renderings }) => ({
        renderings: { ...renderings, prune: ({ now, limit }) => renderings.prune({ now, limit: limit + 1 }) },
      }),
      "prunes what has expired, at most so many at a time",
    ],
    [
      "shows one account the renderings of another",
      ({ renderings }) => ({
        renderings: {
          ...renderings,
          get: (request) => renderings.get({ ...request, accountId: "acct_1" }),
          put: (request) => renderings.put({ ...request, accountId: "acct_1" }),
        },
      }),
      "keeps accounts and keys apart, whatever they are",
    ],
    [
      "settles a millisecond after the lapse",
      ({ ledger }) => ({
        ledger: { ...ledger, settle: (request) => ledger.settle({ ...request, now: request.now - 1 }) },
      }),
      "lapses at the instant itself; a later settle moves nothing",
    ],
    [
      "takes a credit for a repeated reservation",
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
      "answers a repeated reservation as the first time, and takes nothing",
    ],
    [
      "forgets the change of a grant",
      ({ ledger }) => ({
        ledger: { ...ledger, balance: (look) => ledger.balance({ ...look, granted: 10 }) },
      }),
      "follows a grant that changes within the period",
    ],
    [
      "reverses only what is still open",
      ({ ledger }) => ({ ledger: { ...ledger, reverse: (request) => ledger.refund(request) } }),
      "reverses a charge once",
    ],
    [
      "reads before it writes, and lets others in between",
      ({ accounts }) => ({
        accounts: {
          ...accounts,
          async update(id, change) {
            const account = await accounts.find(id);
            return account === null ? null : accounts.update(id, { ...account, ...change });
          },
        },
      }),
      "keeps changes made at once",
    ],
    [
      "ends a budget's window a millisecond late",
      ({ rateLimiter }) => ({
        rateLimiter: {
          ...rateLimiter,
          consume: (request) => rateLimiter.consume({ ...request, windowMs: request.windowMs + 1 }),
        },
      }),
      "opens a window with its first spend and ends it on the millisecond",
    ],
    [
      "finds a revoked token",
      ({ tokens }) => ({ tokens: { ...tokens, revoke: async () => true } }),
      "forgets a revoked token",
    ],
    [
      "peeks at a rendering that has expired",
      ({ renderings }) => ({
        renderings: {
          ...renderings,
          peek: (request) => renderings.peek({ ...request, now: request.now - 1 }),
        },
      }),
      "expires to the millisecond",
    ],
    [
      "lets a second one take a lease",
      ({ renderLeases }) => ({
        renderLeases: renderLeases && {
          ...renderLeases,
          acquire: async (claim) => (await renderLeases.acquire(claim), "acquired" as const),
        },
      }),
      "of many who try at once, lets one take it",
    ],
    [
      "lets anybody end a lease",
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
      "leaves a lease alone that another has, or nobody",
    ],
    [
      "hurries nobody",
      ({ renderLeases }) => ({
        renderLeases: renderLeases && {
          ...renderLeases,
          acquire: (claim) => renderLeases.acquire({ ...claim, priority: "batch" }),
        },
      }),
      "tells the holder that somebody interactive was refused it, from then on",
    ],
    [
      "frees a lease at once",
      ({ renderLeases }) => ({
        renderLeases: renderLeases && {
          ...renderLeases,
          release: (claim) => renderLeases.release({ ...claim, lingerMs: 0 }),
        },
      }),
      "lets nobody take it while it lingers, its holder neither",
    ],
    [
      "claims to prune by itself, and tells of it all the same",
      ({ renderings }) => ({ renderings: { ...renderings, prune: async () => 0 } }),
      "prunes what has expired, at most so many at a time",
    ],
  ])("fail a storage that %s", async (_, damage, failing) => {
    expect(await failuresOf(damage)).toContain(failing);
  });
});
