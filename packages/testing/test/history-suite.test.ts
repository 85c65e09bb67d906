import type { AttemptRecord, HistoryEntry, HistoryStore, SignInStore, Storage } from "@snap/engine/ports";
import { describe, expect, it } from "vitest";
import { createMemoryStorage } from "../src/index.ts";
import { findFailures } from "./find-failures.ts";

type Fault<Store> = [fault: string, faultOf: (storage: Storage) => Partial<Store>, failing: string];

const HISTORY_FAULTS: readonly Fault<HistoryStore>[] = [
  [
    "returns the caller's own entries",
    ({ history }) => {
      const own = new Map<string, HistoryEntry>();
      return {
        async append(request) {
          await history.append(request);
          for (const entry of request.entries) own.set(entry.id, entry);
        },
        find: async (id) => own.get(id) ?? null,
      };
    },
    "isolates stored entries from its arguments and results",
  ],
  [
    "appends entries one by one",
    ({ history }) => ({
      async append({ entries, totals }) {
        await history.append({ entries: [], totals });
        for (const entry of entries) await history.append({ entries: [entry], totals: [] });
      },
    }),
    "stores nothing from an append with a duplicate id",
  ],
  [
    "drops entries without totals",
    ({ history }) => ({
      append: ({ entries, totals }) =>
        history.append({ entries: totals.length === 0 ? [] : entries, totals }),
    }),
    "stores entries without totals, totals without entries, or neither",
  ],
  [
    "ignores the end of a filter",
    ({ history }) => ({ page: (request) => history.page({ ...request, until: undefined }) }),
    "returns pages in descending order of ids, for each filter",
  ],
  [
    "matches one millisecond too many",
    ({ history }) => ({
      page: ({ until, ...request }) => history.page({ ...request, until: until && until + 1 }),
    }),
    "returns pages in descending order of ids, for each filter",
  ],
  [
    "matches part of the host",
    ({ history }) => ({
      async page({ host, ...request }) {
        const { entries, hasMore } = await history.page(request);
        return { entries: entries.filter((entry) => entry.host?.includes(host ?? "") ?? true), hasMore };
      },
    }),
    "returns pages in descending order of ids, for each filter",
  ],
  [
    "always reports more entries",
    ({ history }) => ({ page: async (request) => ({ ...(await history.page(request)), hasMore: true }) }),
    "returns pages in descending order of ids, for each filter",
  ],
  [
    "starts over after an unknown entry",
    ({ history }) => ({
      async page({ after, ...request }) {
        const isKnown = after !== undefined && (await history.find(after)) !== null;
        return history.page({ ...request, ...(isKnown && { after }) });
      },
    }),
    "returns an empty page after an unknown entry",
  ],
  [
    "sorts entries by arrival",
    ({ history }) => {
      const arrived: string[] = [];
      return {
        async append(request) {
          await history.append(request);
          arrived.unshift(...request.entries.map(({ id }) => id).toReversed());
        },
        async page(request) {
          const { entries, hasMore } = await history.page(request);
          return {
            entries: entries.toSorted((a, b) => arrived.indexOf(a.id) - arrived.indexOf(b.id)),
            hasMore,
          };
        },
      };
    },
    "sorts late entries by id",
  ],
  [
    "returns a first interval that starts at `since`",
    ({ history }) => ({
      activity: async (request) =>
        (await history.activity(request)).map(({ at, renders, failures }) => ({
          at: Math.max(at, request.since),
          renders,
          failures,
        })),
    }),
    "counts renders and failures by interval",
  ],
  [
    "sorts failures by code",
    ({ history }) => ({
      failures: async (request) =>
        (await history.failures(request)).toSorted((a, b) => (a.code < b.code ? -1 : 1)),
    }),
    "counts failures by code, most frequent first",
  ],
  [
    "omits the last day",
    ({ history }) => ({
      usage: async (request) => (await history.usage(request)).filter(({ day }) => day !== request.to),
    }),
    "adds up totals by day, account and token",
  ],
  [
    "adds up the longest durations",
    ({ history }) => ({
      usage: async (request) =>
        (await history.usage(request)).map((sum) =>
          Object.assign({}, sum, { longestRenderMs: sum.renderMs }),
        ),
    }),
    "adds up appended totals of the same day and token",
  ],
  [
    "prunes more than the limit",
    ({ history }) => ({ prune: ({ limit, ...request }) => history.prune({ ...request, limit: limit + 1 }) }),
    "prunes entries and totals, up to the limit for each",
  ],
  [
    "retains the totals of a deleted account",
    ({ history }) => ({
      async deleteAccount({ accountId }) {
        const days = { from: "2000-01-01", to: "2100-01-01" };
        const sums = await history.usage({ ...days, by: "token", accountId });
        const deleted = await history.deleteAccount({ accountId });
        const totals = sums.map((sum) =>
          Object.assign({}, sum, { day: "2026-01-01", accountId, tokenId: sum.tokenId ?? 0 }),
        );
        await history.append({ entries: [], totals });
        return deleted;
      },
    }),
    "deletes the totals of an account without entries",
  ],
  [
    "ignores deletions of accounts",
    () => createMemoryStorage().history,
    "stores nothing for an account whose deletion has started",
  ],
];

const SIGN_IN_FAULTS: readonly Fault<SignInStore>[] = [
  [
    "finds a link or session one millisecond too long",
    ({ signIns }) => ({ find: (request) => signIns.find({ ...request, now: request.now - 1 }) }),
    "finds a link or session until the exact millisecond of its expiry",
  ],
  [
    "finds expired sessions",
    ({ signIns }) => ({
      find: (request) => signIns.find({ ...request, ...(request.kind === "session" && { now: 0 }) }),
    }),
    "finds a link or session until the exact millisecond of its expiry",
  ],
  [
    "does not prune sessions",
    ({ signIns }) => ({
      insert: (entry) =>
        signIns.insert({ ...entry, ...(entry.kind === "session" && { expiresAt: Infinity }) }),
    }),
    "prunes expired links and sessions, up to the limit",
  ],
  [
    "takes expired links",
    ({ signIns }) => ({ take: (request) => signIns.take({ ...request, now: 0 }) }),
    "does not take an expired link",
  ],
  [
    "finds a link and takes it in two steps",
    ({ signIns }) => ({
      async take(request) {
        const isFound = (await signIns.find(request)) !== null;
        await signIns.take(request);
        return isFound;
      },
    }),
    "lets only one of many concurrent calls take a link",
  ],
  [
    "confuses links and sessions",
    ({ signIns }) => ({ find: (request) => signIns.find({ ...request, kind: "link" }) }),
    "distinguishes kinds and hashes",
  ],
];

const AUDIT_FAULTS: readonly Fault<Storage["audit"]>[] = [
  [
    "ignores empty subjects",
    ({ audit }) => ({
      append: (entry) => audit.append({ ...entry, subjects: entry.subjects.filter((subject) => subject) }),
    }),
    "stores any text",
  ],
];

const ATTEMPT_FAULTS: readonly Fault<Storage["batches"]>[] = [
  [
    "stores attempts for unknown batches",
    ({ batches }) => {
      const unknown: AttemptRecord[] = [];
      return {
        async recordAttempt(attempt) {
          if ((await batches.find(attempt.batchId)) === null) unknown.push(attempt);
          await batches.recordAttempt(attempt);
        },
        async attempts(request) {
          const { entries, hasMore } = await batches.attempts(request);
          return { entries: [...entries, ...unknown], hasMore };
        },
      };
    },
    "does not store an attempt for an unknown batch",
  ],
  [
    "returns the attempts of other accounts",
    ({ batches }) => ({ attempts: (request) => batches.attempts({ ...request, accountId: undefined }) }),
    "returns pages of attempts, newest first, for each filter",
  ],
  [
    "retains all attempts, even those of deleted batches",
    () => {
      const all: AttemptRecord[] = [];
      return {
        recordAttempt: async (attempt) => void all.push(attempt),
        attempts: async ({ limit, batchId }) => {
          const selected = all.filter((one) => batchId === undefined || one.batchId === batchId);
          return { entries: selected.toReversed().slice(0, limit), hasMore: selected.length > limit };
        },
      };
    },
    "deletes attempts with their batch",
  ],
];

function casesOf<Port extends "history" | "signIns" | "audit" | "batches">(
  port: Port,
  faults: readonly Fault<Storage[Port]>[],
): readonly (readonly [fault: string, inject: (storage: Storage) => Partial<Storage>, failing: string])[] {
  return faults.map(([fault, faultOf, failing]) => [
    fault,
    (storage) => ({ [port]: { ...storage[port], ...faultOf(storage) } }),
    failing,
  ]);
}

describe("the suites of the history, sign-ins, audit log and attempts", () => {
  it.each([
    ...casesOf("history", HISTORY_FAULTS),
    ...casesOf("signIns", SIGN_IN_FAULTS),
    ...casesOf("audit", AUDIT_FAULTS),
    ...casesOf("batches", ATTEMPT_FAULTS),
  ])("fail a storage that %s", async (_, inject, failing) => {
    expect(await findFailures(inject, failing)).toEqual([failing]);
  });
});
