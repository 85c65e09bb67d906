import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { advanceBatch, type BatchEvent } from "../../src/batches/batch-machine.ts";
import type { BatchRecord, DeliveryState, ItemState } from "../../src/ports/batches.ts";

/*
 * The transitions as a table: the next state for each state and event. `null` means that the event does not apply.
 */

const NOW = 1_772_366_400_000;
const MINUTE = 60_000;
const rules = { retentionMs: 604_800_000, retryWindowMs: 900_000 };

const queued = { status: "queued", dueAt: NOW, starts: 0, fence: 0, limitedSince: null } as const;
const rendering = {
  status: "rendering",
  leaseEndsAt: NOW + 20_000,
  starts: 1,
  fence: 1,
  limitedSince: null,
} as const;
const done = {
  status: "done",
  etag: '"e"',
  targetStatus: 200,
  expiresAt: NOW + 86_400_000,
  creditCost: 1,
} as const;
const failed = { status: "failed", code: "render_timeout", message: "too slow" } as const;

function batchOf(
  states: readonly ItemState[],
  more: Partial<Pick<BatchRecord, "webhookUrl" | "delivery" | "finishedAt" | "prunesAt">> = {},
): BatchRecord {
  return {
    id: "batch_1",
    accountId: "acct_1",
    tokenId: 1,
    webhookUrl: null,
    createdAt: NOW - MINUTE,
    finishedAt: null,
    prunesAt: null,
    delivery: null,
    items: states.map((state, index) => ({
      id: `item_${index}`,
      parameters: { url: "https://example.com/" },
      key: `key_${index}`,
      state,
    })),
    ...more,
  };
}

const itemId = "item_0";
const claim: BatchEvent = { type: "item-claimed", itemId, leaseEndsAt: NOW + 20_000 };
const renew: BatchEvent = { type: "item-renewed", itemId, fence: 1, leaseEndsAt: NOW + 25_000 };
const postpone: BatchEvent = {
  type: "item-postponed",
  itemId,
  fence: 1,
  retryAt: NOW + 30_000,
  code: "rate_limited",
  message: "the limit is reached",
};
const finish: BatchEvent = {
  type: "item-done",
  itemId,
  fence: 1,
  etag: '"e"',
  targetStatus: 200,
  expiresAt: NOW + 86_400_000,
  creditCost: 1,
};
const fail: BatchEvent = {
  type: "item-failed",
  itemId,
  fence: 1,
  code: "render_timeout",
  message: "too slow",
};

describe("an item", () => {
  it.each<[string, ItemState, BatchEvent, ItemState | null]>([
    ["queued, claimed", queued, claim, rendering],
    ["queued for later, claimed", { ...queued, dueAt: NOW + 1 }, claim, null],
    ["queued, renewed", queued, renew, null],
    ["queued, postponed", queued, postpone, null],
    ["queued, done", queued, finish, null],
    ["queued, failed", queued, fail, null],
    [
      "queued again with a fencing token, claimed",
      { ...queued, starts: 1, fence: 4, limitedSince: NOW - MINUTE },
      claim,
      { ...rendering, starts: 2, fence: 5, limitedSince: NOW - MINUTE },
    ],
    ["rendering, claimed by another worker", rendering, claim, null],
    [
      "rendering, a moment before its lease expires, claimed",
      { ...rendering, leaseEndsAt: NOW + 1 },
      claim,
      null,
    ],
    [
      "rendering, its lease expired, claimed",
      { ...rendering, leaseEndsAt: NOW },
      claim,
      { ...rendering, starts: 2, fence: 2 },
    ],
    [
      "rendering for the third time, its lease expired, claimed",
      { ...rendering, starts: 3, leaseEndsAt: NOW },
      claim,
      {
        status: "failed",
        code: "render_failed",
        message: "The worker stopped or failed 3 times while rendering this page.",
      },
    ],
    ["rendering, renewed", rendering, renew, { ...rendering, leaseEndsAt: NOW + 25_000 }],
    ["rendering, renewed by a lost worker", { ...rendering, fence: 2 }, renew, null],
    ["rendering, done", rendering, finish, done],
    [
      "rendering, done after its lease expired, not claimed again",
      { ...rendering, leaseEndsAt: NOW - 1 },
      finish,
      done,
    ],
    ["rendering, done by a lost worker", { ...rendering, fence: 2 }, finish, null],
    ["rendering, failed", rendering, fail, failed],
    ["rendering, failed by a lost worker", { ...rendering, fence: 2 }, fail, null],
    [
      "rendering, postponed for the first time",
      rendering,
      postpone,
      { ...queued, dueAt: NOW + 30_000, fence: 1, limitedSince: NOW },
    ],
    [
      "rendering, postponed again",
      { ...rendering, limitedSince: NOW - 10 * MINUTE },
      postpone,
      { ...queued, dueAt: NOW + 30_000, fence: 1, limitedSince: NOW - 10 * MINUTE },
    ],
    [
      "rendering, postponed until after the window ends: a last attempt at its end",
      { ...rendering, limitedSince: NOW - 15 * MINUTE + 1000 },
      postpone,
      { ...queued, dueAt: NOW + 1000, fence: 1, limitedSince: NOW - 15 * MINUTE + 1000 },
    ],
    [
      "rendering, postponed 15 minutes after the first time",
      { ...rendering, limitedSince: NOW - 15 * MINUTE },
      postpone,
      { status: "failed", code: "rate_limited", message: "the limit is reached" },
    ],
    ["rendering, postponed by a lost worker", { ...rendering, fence: 2 }, postpone, null],
    ...[claim, renew, postpone, finish, fail].flatMap((event): [string, ItemState, BatchEvent, null][] => [
      [`done, ${event.type}`, done, event, null],
      [`failed, ${event.type}`, failed, event, null],
    ]),
  ])("enters the expected state, or ignores the event: %s", (_name, before, event, after) => {
    // the second item keeps the batch unfinished
    const batch = batchOf([before, queued]);
    const next = advanceBatch(batch, event, { now: NOW, rules });
    expect(next).toEqual(after === null ? null : batchOf([after, queued]));
  });

  it.each<[string, ItemState, BatchEvent, string | null]>([
    ["claimed", queued, claim, "sealed"],
    ["renewed", rendering, renew, "sealed"],
    ["postponed", rendering, postpone, "sealed"],
    ["done", rendering, finish, null],
    ["failed", rendering, fail, null],
  ])("keeps its secrets until it is finished: %s", (_, state, event, basicAuth) => {
    const batch = batchOf([state, queued]);
    const parameters = { url: "https://example.com/", basicAuth: "sealed", fullPage: true };
    const items = batch.items.map((item) => ({ ...item, parameters }));
    const changed = advanceBatch({ ...batch, items }, event, { now: NOW, rules });
    expect(changed?.items.map((item) => item.parameters)).toEqual([
      { url: "https://example.com/", basicAuth, fullPage: true },
      parameters,
    ]);
  });
});

it("ignores an event for an item that does not exist", () => {
  expect(advanceBatch(batchOf([queued]), { ...claim, itemId: "item_9" }, { now: NOW, rules })).toBeNull();
});

describe("a batch", () => {
  it.each<[string, BatchEvent, ItemState]>([
    ["the last item is done", finish, done],
    ["the last item has failed", fail, failed],
  ])("is finished once %s", (_name, event, last) => {
    for (const webhookUrl of [null, "https://hooks.example.com/"]) {
      const next = advanceBatch(batchOf([rendering, done, failed], { webhookUrl }), event, {
        now: NOW,
        rules,
      });
      expect(next).toEqual(
        batchOf([last, done, failed], {
          webhookUrl,
          finishedAt: NOW,
          prunesAt: NOW + 604_800_000,
          delivery: webhookUrl === null ? null : { status: "due", dueAt: NOW, attempts: 0, fence: 0 },
        }),
      );
    }
  });

  it("is finished when its last item fails after too many lost workers", () => {
    const next = advanceBatch(batchOf([{ ...rendering, starts: 3, leaseEndsAt: NOW }]), claim, {
      now: NOW,
      rules,
    });
    expect(next?.finishedAt).toBe(NOW);
  });

  it("is not finished while an item has an unknown state", () => {
    const unknown = { status: "paused" } as unknown as ItemState;
    expect(advanceBatch(batchOf([rendering, unknown]), finish, { now: NOW, rules })?.finishedAt).toBeNull();
  });
});

describe("a delivery", () => {
  const due = { status: "due", dueAt: NOW, attempts: 0, fence: 0 } as const;
  const sending = { status: "sending", leaseEndsAt: NOW + MINUTE, attempts: 1, fence: 1 } as const;
  const delivered = { status: "delivered", deliveredAt: NOW, attempts: 1 } as const;
  const abandoned = { status: "abandoned", attempts: 1 } as const;
  const claimDelivery: BatchEvent = { type: "delivery-claimed", leaseEndsAt: NOW + MINUTE };
  const acknowledge: BatchEvent = { type: "delivery-acknowledged", fence: 1 };
  const retry: BatchEvent = { type: "delivery-failed", fence: 1, retryAt: NOW + 5000 };
  const release: BatchEvent = { type: "delivery-released", fence: 1, retryAt: NOW + 7000 };
  const giveUp: BatchEvent = { type: "delivery-failed", fence: 1, retryAt: null };
  const request: BatchEvent = { type: "delivery-requested" };

  it.each<[string, DeliveryState | null, BatchEvent, DeliveryState | null]>([
    ["none, claimed", null, claimDelivery, null],
    ["none, acknowledged", null, acknowledge, null],
    ["due, claimed", due, claimDelivery, sending],
    ["due later, claimed", { ...due, dueAt: NOW + 1 }, claimDelivery, null],
    ["due, acknowledged", due, acknowledge, null],
    ["due, failed", due, retry, null],
    ["sending, claimed by another worker", sending, claimDelivery, null],
    [
      "sending, its lease expired, claimed",
      { ...sending, leaseEndsAt: NOW },
      claimDelivery,
      { ...sending, attempts: 2, fence: 2 },
    ],
    ["sending, acknowledged", sending, acknowledge, delivered],
    ["sending, acknowledged to a lost worker", { ...sending, fence: 2 }, acknowledge, null],
    ["sending, failed", sending, retry, { status: "due", dueAt: NOW + 5000, attempts: 1, fence: 1 }],
    ["sending, reported as failed by a lost worker", { ...sending, fence: 2 }, retry, null],
    ["sending, failed permanently", sending, giveUp, abandoned],
    ["sending, aborted by its worker", sending, release, { ...due, dueAt: NOW + 7000, fence: 1 }],
    ["sending, aborted by a lost worker", { ...sending, fence: 2 }, release, null],
    ["due, aborted", due, release, null],
    ["none, requested again", null, request, null],
    ["due, requested", due, request, due],
    [
      "due later, requested",
      { ...due, dueAt: NOW + MINUTE, attempts: 3, fence: 4 },
      request,
      { ...due, attempts: 3, fence: 4 },
    ],
    ["sending, requested again", sending, request, null],
    ["delivered, requested again", delivered, request, { ...due, fence: NOW, deliveredAt: NOW }],
    [
      "delivered before, sent again",
      { ...due, deliveredAt: NOW - 1 },
      claimDelivery,
      { ...sending, deliveredAt: NOW - 1 },
    ],
    ["delivered before, acknowledged again", { ...sending, deliveredAt: NOW - 1 }, acknowledge, delivered],
    [
      "delivered before, retried",
      { ...sending, deliveredAt: NOW - 1 },
      retry,
      { ...due, dueAt: NOW + 5000, attempts: 1, fence: 1, deliveredAt: NOW - 1 },
    ],
    [
      "delivered before, given up",
      { ...sending, deliveredAt: NOW - 1 },
      giveUp,
      { ...abandoned, deliveredAt: NOW - 1 },
    ],
    ["abandoned, requested again", abandoned, request, { ...due, fence: NOW }],
    ...[claimDelivery, acknowledge, retry, release, giveUp].flatMap(
      (event): [string, DeliveryState, BatchEvent, null][] => [
        [`delivered, ${event.type}`, delivered, event, null],
        [`abandoned, ${event.type}`, abandoned, event, null],
      ],
    ),
  ])("enters the expected state, or ignores the event: %s", (_name, before, event, after) => {
    const finished = { webhookUrl: "https://hooks.example.com/", finishedAt: NOW, prunesAt: NOW + 1 };
    const batch = batchOf([done], { ...finished, delivery: before });
    const next = advanceBatch(batch, event, { now: NOW, rules });
    expect(next).toEqual(after === null ? null : { ...batch, delivery: after });
  });

  it("is abandoned if its batch is due for deletion", () => {
    const expired = { webhookUrl: "https://hooks.example.com/", finishedAt: NOW - 1, prunesAt: NOW };
    const next = advanceBatch(batchOf([done], { ...expired, delivery: due }), claimDelivery, {
      now: NOW,
      rules,
    });
    expect(next?.delivery).toEqual({ status: "abandoned", attempts: 0 });
  });
});

describe("a delivery that is requested again", () => {
  const ended = {
    webhookUrl: "https://hooks.example.com/",
    finishedAt: NOW - MINUTE,
    prunesAt: NOW + MINUTE,
  };
  const delivered = { status: "delivered", deliveredAt: NOW - MINUTE, attempts: 3 } as const;
  const advance = (batch: BatchRecord, event: BatchEvent): BatchRecord | null =>
    advanceBatch(batch, event, { now: NOW, rules });

  it("ignores the late result of an earlier claim", () => {
    const due = advance(batchOf([done], { ...ended, delivery: delivered }), { type: "delivery-requested" });
    const sending = advance(due ?? batchOf([]), { type: "delivery-claimed", leaseEndsAt: NOW + MINUTE });
    expect(sending?.delivery).toMatchObject({ status: "sending", attempts: 1 });
    for (const fence of [1, 2, 3])
      expect(advance(sending ?? batchOf([]), { type: "delivery-acknowledged", fence })).toBeNull();
  });

  it("does not restart if its batch is due for deletion", () => {
    const batch = batchOf([done], { ...ended, prunesAt: NOW, delivery: delivered });
    expect(advance(batch, { type: "delivery-requested" })).toBeNull();
  });
});

describe("any sequence of events", () => {
  const event = fc.oneof(
    fc.record({
      type: fc.constant("item-claimed" as const),
      itemId: fc.constantFrom("item_0", "item_1", "item_2", "item_9"),
      leaseEndsAt: fc.integer({ min: NOW, max: NOW + MINUTE }),
    }),
    fc
      .record({
        type: fc.constantFrom("item-renewed" as const, "item-postponed" as const, "item-done" as const),
        itemId: fc.constantFrom("item_0", "item_1", "item_2"),
        fence: fc.integer({ min: 0, max: 4 }),
        at: fc.integer({ min: NOW, max: NOW + MINUTE }),
      })
      .map(({ at, ...rest }) =>
        Object.assign({}, postpone, finish, renew, rest, { retryAt: at, leaseEndsAt: at }),
      ),
    fc.record({
      type: fc.constant("item-failed" as const),
      itemId: fc.constantFrom("item_0", "item_1", "item_2"),
      fence: fc.integer({ min: 0, max: 4 }),
      code: fc.constant("render_timeout" as const),
      message: fc.constant("too slow"),
    }),
    fc.record({
      type: fc.constantFrom("delivery-claimed" as const, "delivery-acknowledged" as const),
      fence: fc.integer({ min: 0, max: 3 }),
      leaseEndsAt: fc.integer({ min: NOW, max: NOW + MINUTE }),
    }),
  ) as fc.Arbitrary<BatchEvent>;

  it("never changes finished items, never lowers a fencing token, and finishes the batch with its last item", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(event, fc.integer({ min: 0, max: 30_000 })), { maxLength: 60 }),
        (run) => {
          let batch = batchOf([queued, queued, queued], { webhookUrl: "https://hooks.example.com/" });
          let now = NOW;
          for (const [next, elapsedMs] of run) {
            now += elapsedMs;
            const before = batch;
            batch = advanceBatch(batch, next, { now, rules }) ?? batch;
            for (const [index, { state }] of batch.items.entries()) {
              const previousState = before.items[index]?.state;
              const terminal = previousState?.status === "done" || previousState?.status === "failed";
              expect(terminal ? state : null).toEqual(terminal ? previousState : null);
              const [fence, fenceBefore] = [state, previousState].map((one) =>
                one !== undefined && "fence" in one ? one.fence : Infinity,
              );
              expect(fence).toBeGreaterThanOrEqual(fenceBefore === Infinity ? 0 : Number(fenceBefore));
            }
            const isFinished = batch.items.every(
              ({ state }) => state.status === "done" || state.status === "failed",
            );
            expect([batch.finishedAt !== null, batch.delivery !== null]).toEqual([isFinished, isFinished]);
            expect(before.finishedAt ?? batch.finishedAt).toBe(batch.finishedAt);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
