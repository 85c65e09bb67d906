import type { FoundToken, ReserveRequest, Storage } from "@snap/engine";
import assert from "node:assert/strict";
import { sampleAccount } from "./accounts.ts";
import { allAtOnce, defineSuite } from "./suite.ts";
import type { DefineTest, OpenStorage, SuiteRunner } from "./suite.ts";
import { sampleToken } from "./tokens.ts";

type Ports = "accounts" | "tokens" | "ledger";

const NOW = 1_767_225_600_000;

function reservation(reservationId: string): ReserveRequest {
  const period = { startedAt: NOW, resetsAt: NOW + 2_592_000_000 };
  return { accountId: "acct_1", period, granted: 10, reservationId, now: NOW, lapsesAt: NOW + 120_000 };
}

/** The contract of `Ledger.reserveRemembered`: only for a token and an account that are as they were. */
export function testRememberedReservations(runner: SuiteRunner, open: OpenStorage<Ports>): void {
  defineSuite({ runner, open, name: "Ledger: remembered tokens" }, (test) => {
    testUnchanged(test);
    testChanged(test);
  });
}

/** A token as it is found, whose every field is set. */
async function remember({ accounts, tokens }: Pick<Storage, Ports>): Promise<FoundToken> {
  await accounts.insert(sampleAccount({ planSlug: "starter", creditsPerPeriod: 10, requestsPerMinute: 20 }));
  const { id } = await tokens.insert(sampleToken({ expiresAt: NOW + 1, rotatedAt: NOW - 1 }));
  const found = await tokens.find(id);
  assert.ok(found !== null);
  return found;
}

function testUnchanged(test: DefineTest<Ports>): void {
  test("reserves as otherwise for a token that is as it was", async (storage) => {
    const { ledger } = storage;
    const remembered = await remember(storage);
    const outcome = await ledger.reserveRemembered({ ...reservation("a"), remembered });
    assert.deepEqual(outcome, { reserved: true, balance: { granted: 10, used: 0, reserved: 1 } });
    // A repeat, however it is asked for, takes nothing.
    assert.deepEqual(await ledger.reserveRemembered({ ...reservation("a"), remembered }), outcome);
    assert.deepEqual(await ledger.reserve(reservation("a")), outcome);
    // The balance that was found with it plays no part.
    assert.equal((await ledger.reserveRemembered({ ...reservation("b"), remembered }))?.balance.reserved, 2);
    assert.equal(await ledger.settle({ reservationId: "a", now: NOW }), "settled");
  });

  test("tells a token without anything that could be left out from one with all of it", async (storage) => {
    const { accounts, tokens, ledger } = storage;
    await accounts.insert(
      sampleAccount({
        emailVerifiedAt: null,
        planSlug: null,
        creditsPerPeriod: null,
        requestsPerMinute: null,
      }),
    );
    const { id } = await tokens.insert(sampleToken({ abilities: [] }));
    const remembered = await tokens.find(id);
    assert.ok(remembered !== null);
    assert.equal((await ledger.reserveRemembered({ ...reservation("a"), remembered }))?.reserved, true);
    await accounts.update("acct_1", { emailVerifiedAt: 0 });
    assert.equal(await ledger.reserveRemembered({ ...reservation("b"), remembered }), null);
  });

  test("refuses at once where no credit is left, and is exact", async (storage) => {
    const { ledger } = storage;
    const remembered = await remember(storage);
    const outcomes = await allAtOnce(async (index) => {
      return (await ledger.reserveRemembered({ ...reservation(`${index}`), remembered }))?.reserved;
    });
    assert.equal(outcomes.filter((reserved) => reserved === true).length, 10);
    assert.equal(outcomes.filter((reserved) => reserved === false).length, outcomes.length - 10);
  });
}

const CHANGES: readonly (readonly [
  string,
  (storage: Pick<Storage, Ports>, id: number) => Promise<unknown>,
])[] = [
  ["revoked", ({ tokens }, id) => tokens.revoke(id)],
  [
    "rotated",
    ({ tokens }, id) =>
      tokens.rotate(id, {
        secretHash: "11".repeat(32),
        sealedSigningSecret: "22".repeat(40),
        rotatedAt: NOW,
      }),
  ],
  ["of an account that is no longer verified", change({ emailVerifiedAt: null })],
  ["of an account with another plan", change({ planSlug: "growth" })],
  ["of an account without a plan", change({ planSlug: null })],
  ["of an account with other credits", change({ creditsPerPeriod: 11 })],
  ["of an account with another limit", change({ requestsPerMinute: 21 })],
];

function change(
  facts: Parameters<Storage["accounts"]["update"]>[1],
): (storage: Pick<Storage, "accounts">) => Promise<unknown> {
  return ({ accounts }) => accounts.update("acct_1", facts);
}

function testChanged(test: DefineTest<Ports>): void {
  for (const [what, act] of CHANGES)
    test(`takes nothing for a token that is ${what}`, async (storage) => {
      const { ledger, tokens } = storage;
      const remembered = await remember(storage);
      await act(storage, remembered.token.id);
      assert.equal(await ledger.reserveRemembered({ ...reservation("a"), remembered }), null);
      assert.deepEqual(await ledger.journal({ accountId: "acct_1", limit: 10 }), []);
      assert.equal(await ledger.settle({ reservationId: "a", now: NOW }), "unknown");
      // As it is now, it is one that is as it was.
      const now = await tokens.find(remembered.token.id);
      if (now !== null)
        assert.equal(
          (await ledger.reserveRemembered({ ...reservation("a"), remembered: now }))?.reserved,
          true,
        );
    });

  test("takes nothing for a token that never was, or is another account's", async (storage) => {
    const { accounts, ledger } = storage;
    const { token, account } = await remember(storage);
    const other = { token: { ...token, id: token.id + 1 }, account };
    assert.equal(await ledger.reserveRemembered({ ...reservation("a"), remembered: other }), null);
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    const foreign = { ...reservation("a"), accountId: "acct_2", remembered: { token, account } };
    assert.equal(await ledger.reserveRemembered(foreign), null);
  });
}
