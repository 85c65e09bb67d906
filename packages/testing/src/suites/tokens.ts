import type { PreviousSecrets, Rotation, TokenRecord } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { sampleAccount } from "./account-samples.ts";
import { testEnsuredTokens } from "./ensured-tokens.ts";
import { hexOf, sampleToken, type NewToken } from "./token-samples.ts";
import { testUnknownTokens } from "./unknown-tokens.ts";
import { concurrently, CONCURRENT_CALLS, countOf, defineSuite, overwrite } from "./suite.ts";
import type { DefineTest, OpenStorage, SuiteRunner } from "./suite.ts";

/** Tests `TokenStore`: ids that are never reused, atomic rotation of both secrets, and isolated accounts. */
export function testTokenStore(
  runner: SuiteRunner,
  open: OpenStorage<"accounts" | "tokens" | "ledger">,
): void {
  defineSuite({ runner, open, name: "TokenStore: lookups" }, testLookups);
  defineSuite({ runner, open, name: "TokenStore: lists and the newest token" }, testLists);
  defineSuite({ runner, open, name: "TokenStore: unknown ids" }, testUnknownTokens);
  defineSuite({ runner, open, name: "TokenStore: life cycle" }, testLifeCycle);
  defineSuite({ runner, open, name: "TokenStore: signing secrets" }, testSigningSecrets);
  defineSuite({ runner, open, name: "TokenStore: overlaps and uses" }, testOverlapsAndUses);
  defineSuite({ runner, open, name: "TokenStore: named tokens" }, testEnsuredTokens);
}

function testLookups(test: DefineTest<"accounts" | "tokens" | "ledger">): void {
  test("returns a token with its account", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    const change = { accountId: "acct_2", name: "naïve 鍵🔑", abilities: ["pdf"] } as const;
    const expiring = sampleToken({ ...change, expiresAt: 1_767_225_600_001 });
    for (const token of [sampleToken(), expiring]) {
      const record = await tokens.insert(token);
      assert.ok(Number.isSafeInteger(record.id) && record.id > 0, "the id is not a positive integer");
      assert.deepEqual(record, { id: record.id, ...token, previous: null, lastUsedAt: null });
      const found = await tokens.find(record.id);
      assert.deepEqual(found?.token, record);
      assert.deepEqual(found?.account, await accounts.find(token.accountId));
    }
  });

  test("returns the balance of the latest period, and the next lapse", async (storage) => {
    const { accounts, tokens, ledger } = storage;
    await accounts.insert(sampleAccount());
    const { id } = await tokens.insert(sampleToken());
    const balance = async (): Promise<unknown> => (await tokens.find(id))?.balance;
    assert.equal(await balance(), null);

    const first = { accountId: "acct_1", period: { startedAt: 1_000, resetsAt: 2_000 }, granted: 5 };
    const reserve = (reservationId: string, lapsesAt: number): Promise<unknown> =>
      ledger.reserve({ ...first, reservationId, now: 1_000, lapsesAt });
    await reserve("late", 1_900);
    await reserve("early", 1_500);
    const standing = { periodStartedAt: 1_000, granted: 5, used: 0 };
    assert.deepEqual(await balance(), { ...standing, reserved: 2, nextLapseAt: 1_500 });
    await ledger.settle({ reservationId: "early", now: 1_100 });
    assert.deepEqual(await balance(), { ...standing, used: 1, reserved: 1, nextLapseAt: 1_900 });

    // only the ledger opens the next period
    const second = { ...first, period: { startedAt: 2_000, resetsAt: 3_000 } };
    await ledger.refund({ reservationId: "late", now: 1_200 });
    await ledger.balance({ ...second, now: 2_000 });
    const fresh = { periodStartedAt: 2_000, granted: 5, used: 0, reserved: 0, nextLapseAt: null };
    assert.deepEqual(await balance(), fresh);
  });

  test("isolates the balances of accounts", async ({ accounts, tokens, ledger }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    const { id } = await tokens.insert(sampleToken());
    const period = { startedAt: 1_000, resetsAt: 2_000 };
    await ledger.reserve({
      accountId: "acct_2",
      period,
      granted: 5,
      reservationId: "other",
      now: 1_000,
      lapsesAt: 1_500,
    });
    assert.equal((await tokens.find(id))?.balance, null);
  });

  test("returns the account's current state", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const { id } = await tokens.insert(sampleToken());
    await accounts.update("acct_1", { planSlug: "growth" });
    assert.equal((await tokens.find(id))?.account.planSlug, "growth");
  });

  test("rejects a token without an account", async ({ tokens }) => {
    await assert.rejects(tokens.insert(sampleToken()), "insert must reject an unknown account");
    assert.deepEqual(await tokens.listByAccount("acct_1"), []);
  });
}

function testLists(test: DefineTest<"accounts" | "tokens" | "ledger">): void {
  test("lists one account's tokens, in order of creation", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    const first = await tokens.insert(sampleToken());
    await tokens.insert(sampleToken({ accountId: "acct_2" }));
    const second = await tokens.insert(sampleToken({ createdAt: 0 }));
    assert.deepEqual(await tokens.listByAccount("acct_1"), [first, second]);
    assert.deepEqual(await tokens.listByAccount("acct_3"), []);
  });

  test("finds the newest token across all accounts", async ({ accounts, tokens }) => {
    assert.equal(await tokens.findNewest(), null);
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    const first = await tokens.insert(sampleToken({ accountId: "acct_2", createdAt: 2_000 }));
    const second = await tokens.insert(sampleToken({ createdAt: 1_000 }));
    assert.deepEqual(await tokens.findNewest(), second);
    await tokens.revoke(second.id);
    assert.deepEqual(await tokens.findNewest(), first);
  });
}

/** Hex of different lengths, so a store that mixes them up fails the tests. */
const SEALED = { old: hexOf(60, 1), next: hexOf(61, 2), third: hexOf(62, 3) } as const;

function testSigningSecrets(test: DefineTest<"accounts" | "tokens" | "ledger">): void {
  test("replaces only the signing secret", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const before = await tokens.insert(sampleToken({ sealedSigningSecret: SEALED.old, rotatedAt: 5 }));
    const other = await tokens.insert(sampleToken({ sealedSigningSecret: SEALED.old }));
    const expected = { ...before, sealedSigningSecret: SEALED.next };
    const secrets = { current: SEALED.old, next: SEALED.next };
    assert.deepEqual(await tokens.replaceSigningSecret(before.id, secrets), expected);
    assert.deepEqual((await tokens.find(before.id))?.token, expected);
    assert.deepEqual((await tokens.find(other.id))?.token, other);
  });

  test("also replaces the signing secret of an overlap", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const { id, secretHash } = await tokens.insert(sampleToken({ sealedSigningSecret: SEALED.old }));
    const rotated = { secretHash: hexOf(32, 8), sealedSigningSecret: SEALED.next, rotatedAt: 5 };
    await tokens.rotate(id, { ...rotated, overlapEndsAt: 9 });
    const replaced = await tokens.replaceSigningSecret(id, { current: SEALED.next, next: SEALED.third });
    assert.equal(replaced?.sealedSigningSecret, SEALED.third);
    assert.deepEqual(replaced?.previous, { secretHash, sealedSigningSecret: SEALED.third, endsAt: 9 });
  });

  test("does not replace a signing secret that has changed", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const token = await tokens.insert(sampleToken({ sealedSigningSecret: SEALED.next }));
    const secrets = { current: SEALED.old, next: SEALED.third };
    assert.equal(await tokens.replaceSigningSecret(token.id, secrets), null);
    assert.equal(await tokens.replaceSigningSecret(token.id + 1, secrets), null);
    assert.deepEqual((await tokens.find(token.id))?.token, token);
  });

  test("replaces a signing secret once under concurrent calls", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const { id } = await tokens.insert(sampleToken({ sealedSigningSecret: SEALED.old }));
    const results = await concurrently((index) =>
      tokens.replaceSigningSecret(id, { current: SEALED.old, next: hexOf(60, index + 10) }),
    );
    const [replaced, ...others] = results.filter((result) => result !== null);
    assert.equal(others.length, 0, "more than one call replaced the secret");
    assert.deepEqual((await tokens.find(id))?.token, replaced);
  });
}

function testLifeCycle(test: DefineTest<"accounts" | "tokens" | "ledger">): void {
  test("never reuses an id", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const records = await concurrently(() => tokens.insert(sampleToken()));
    const ids = new Set(records.map((record) => record.id));
    assert.equal(ids.size, CONCURRENT_CALLS);
    // revokes the highest id first: a store that increments the highest remaining id would reuse it
    for (const id of [...ids].toSorted((a, b) => b - a)) {
      assert.equal(await tokens.revoke(id), true);
      const { id: next } = await tokens.insert(sampleToken());
      assert.ok(!ids.has(next), `${next} was assigned before`);
      ids.add(next);
    }
  });

  test("does not find a revoked token", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const { id } = await tokens.insert(sampleToken());
    const results = await concurrently(() => tokens.revoke(id));
    assert.equal(countOf(results, true), 1, "calls that revoked the token");
    assert.equal(await tokens.find(id), null);
    assert.deepEqual(await tokens.listByAccount("acct_1"), []);
    const next = { secretHash: hexOf(32, 0), sealedSigningSecret: hexOf(8, 0), rotatedAt: 1 };
    for (const overlapEndsAt of [null, 2])
      assert.equal(await tokens.rotate(id, { ...next, overlapEndsAt }), null);
  });

  test("replaces both secrets and preserves the other fields", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const before = await tokens.insert(sampleToken({ abilities: ["screenshot"], expiresAt: 9 }));
    const other = await tokens.insert(sampleToken());
    const next = {
      secretHash: hexOf(32, 8),
      sealedSigningSecret: hexOf(60, 9),
      rotatedAt: 1_767_225_700_000,
    };
    const after = await tokens.rotate(before.id, { ...next, overlapEndsAt: null });
    assert.deepEqual(after, { rotated: true, token: { ...before, ...next } });
    assert.deepEqual((await tokens.find(before.id))?.token, { ...before, ...next });
    assert.deepEqual((await tokens.find(other.id))?.token, other);
  });

  test("revokes all tokens of only one account", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    const first = await tokens.insert(sampleToken());
    const other = await tokens.insert(sampleToken({ accountId: "acct_2" }));
    const second = await tokens.insert(sampleToken());
    assert.deepEqual(await tokens.revokeAll("acct_1"), [first.id, second.id]);
    assert.deepEqual(await tokens.revokeAll("acct_1"), []);
    assert.deepEqual(await tokens.listByAccount("acct_1"), []);
    assert.equal(await tokens.find(first.id), null);
    assert.deepEqual((await tokens.find(other.id))?.token, other);
  });

  test("deletes the tokens with their account", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const { id } = await tokens.insert(sampleToken());
    const now = 1_767_225_700_000;
    assert.equal((await accounts.startDeletion({ id: "acct_1", now }))?.suspendedAt, now);
    assert.equal((await tokens.find(id))?.account.suspendedAt, now);
    assert.equal(await accounts.delete({ id: "acct_1", now }), true);
    assert.equal(await tokens.find(id), null);
    assert.deepEqual(await tokens.listByAccount("acct_1"), []);
  });

  test("stores both secrets of one of many concurrent rotations", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const { id } = await tokens.insert(sampleToken());
    await concurrently((index) =>
      tokens.rotate(id, {
        secretHash: hexOf(32, index),
        sealedSigningSecret: hexOf(32, index),
        rotatedAt: index,
        overlapEndsAt: null,
      }),
    );
    const found = await tokens.find(id);
    assert.ok(found, "the token does not exist");
    assert.equal(found.token.secretHash, found.token.sealedSigningSecret);
    assert.equal(found.token.secretHash, hexOf(32, found.token.rotatedAt ?? -1));
  });
}

function assertRotated(rotation: Rotation | null): TokenRecord {
  assert.ok(rotation?.rotated, "the token was not rotated");
  return rotation.token;
}

function testOverlapsAndUses(test: DefineTest<"accounts" | "tokens" | "ledger">): void {
  test("keeps the secrets of an overlap, even after its end, until the next rotation", async ({
    accounts,
    tokens,
  }) => {
    await accounts.insert(sampleAccount());
    const { id, ...first } = await tokens.insert(sampleToken({ sealedSigningSecret: SEALED.old }));
    const secretsOf = ({ secretHash, sealedSigningSecret }: NewToken): Omit<PreviousSecrets, "endsAt"> => ({
      secretHash,
      sealedSigningSecret,
    });
    const second = { secretHash: hexOf(32, 8), sealedSigningSecret: SEALED.next, rotatedAt: 100 };
    const overlapping = assertRotated(await tokens.rotate(id, { ...second, overlapEndsAt: 900 }));
    assert.deepEqual(overlapping.previous, { ...secretsOf(first), endsAt: 900 });
    assert.deepEqual((await tokens.find(id))?.token, overlapping);
    assert.deepEqual(await tokens.listByAccount("acct_1"), [overlapping]);

    const third = { secretHash: hexOf(32, 9), sealedSigningSecret: SEALED.third, rotatedAt: 900 };
    const again = assertRotated(await tokens.rotate(id, { ...third, overlapEndsAt: 950 }));
    assert.deepEqual(again.previous, { ...secretsOf({ ...first, ...second }), endsAt: 950 });

    const ended = assertRotated(await tokens.rotate(id, { ...second, rotatedAt: 910, overlapEndsAt: null }));
    assert.equal(ended.previous, null);
    assert.deepEqual((await tokens.find(id))?.token, ended);
  });

  test("isolates stored records from its arguments and results", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const token = sampleToken({ abilities: ["pdf"] });
    const { id } = await tokens.insert(token);
    const next = { secretHash: hexOf(32, 8), sealedSigningSecret: SEALED.next, rotatedAt: 5 };
    const rotated = assertRotated(await tokens.rotate(id, { ...next, overlapEndsAt: 9 }));
    const expected = structuredClone(rotated);
    overwrite(token);
    overwrite(rotated);
    overwrite(await tokens.find(id));
    overwrite(await tokens.listByAccount("acct_1"));
    overwrite(await tokens.findNewest());
    const found = await tokens.find(id);
    assert.deepEqual(found?.token, expected);
    assert.deepEqual(found?.account, sampleAccount());
  });

  test("does not allow a second overlap to end an earlier one", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const { id } = await tokens.insert(sampleToken());
    const second = { secretHash: hexOf(32, 8), sealedSigningSecret: SEALED.next, rotatedAt: 100 };
    const overlapping = assertRotated(await tokens.rotate(id, { ...second, overlapEndsAt: 900 }));
    const third = { secretHash: hexOf(32, 9), sealedSigningSecret: SEALED.third };
    for (const rotatedAt of [100, 899]) {
      const rejected = await tokens.rotate(id, { ...third, rotatedAt, overlapEndsAt: 2_000 });
      assert.deepEqual(rejected, { rotated: false, overlapEndsAt: 900 });
    }
    assert.deepEqual((await tokens.find(id))?.token, overlapping);
  });

  test("accepts only one of many concurrent rotations with an overlap", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const { id, secretHash } = await tokens.insert(sampleToken());
    const results = await concurrently((index) => {
      const next = { secretHash: hexOf(32, 100 + index), sealedSigningSecret: hexOf(32, index) };
      return tokens.rotate(id, { ...next, rotatedAt: 100, overlapEndsAt: 900 });
    });
    const [rotation, ...others] = results.filter((result) => result?.rotated === true);
    assert.equal(others.length, 0, "more than one call rotated the token");
    const rotated = assertRotated(rotation ?? null);
    assert.equal(rotated.previous?.secretHash, secretHash);
    assert.deepEqual((await tokens.find(id))?.token, rotated);
  });

  test("records the latest use", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const { id } = await tokens.insert(sampleToken());
    const other = await tokens.insert(sampleToken());
    for (const usedAt of [7_200_000, 10_800_000, 3_600_000]) await tokens.recordUse({ id, usedAt });
    await tokens.recordUse({ id: other.id + 1, usedAt: 3_600_000 });
    assert.equal((await tokens.find(id))?.token.lastUsedAt, 10_800_000);
    assert.deepEqual((await tokens.find(other.id))?.token, other);
  });
}
