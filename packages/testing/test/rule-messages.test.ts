import type { Storage, TokenRecord } from "@snap/engine/ports";
import { expect, it } from "vitest";
import { findFailureMessages } from "./find-failures.ts";

type Fault = [fault: string, inject: (storage: Storage) => Partial<Storage>, rule: string, message: string];

it.each<Fault>([
  [
    "accepts a token of an unknown account",
    ({ tokens }) => ({
      tokens: {
        ...tokens,
        insert: (token) =>
          tokens
            .insert(token)
            .catch((): TokenRecord => ({ ...token, id: 1, previous: null, lastUsedAt: null })),
      },
    }),
    'TokenStore: "rejects a token without an account"',
    "Missing expected rejection: insert must reject an unknown account",
  ],
  [
    "returns another account's reservation",
    ({ ledger }) => {
      const reserved = new Set<string>();
      return {
        ledger: {
          ...ledger,
          async reserve(request) {
            const outcome = await ledger.reserve(request);
            if (outcome.reserved) reserved.add(request.reservationId);
            return { ...outcome, reserved: reserved.has(request.reservationId) };
          },
        },
      };
    },
    'Ledger: "does not return another account\'s reservation"',
    "the reservation belongs to another account",
  ],
  [
    "writes an entry for a grant of 0 credits",
    ({ ledger }) => ({
      ledger: {
        ...ledger,
        async journal(request) {
          const entries = await ledger.journal(request);
          if (entries.length > 0 || request.accountId !== "acct_2") return entries;
          const { accountId } = request;
          return [{ accountId, periodStartedAt: 0, kind: "grant", credits: 0, reservationId: null, at: 0 }];
        },
      },
    }),
    'Ledger: "rejects when no credit is left or granted"',
    "a grant of 0 credits in a new period writes no entry",
  ],
])("the suites name the rule that a storage breaks if it %s", async (_, inject, rule, message) => {
  const [, title = ""] = /"(.*)"/.exec(rule) ?? [];
  const messages = await findFailureMessages(inject, title);
  const [first, second] = messages.get(title)?.split("\n") ?? [];
  expect(first).toBe(`The storage breaks a rule of ${rule}. See the comments in @snap/engine/ports.`);
  expect(second).toBe(message);
});
