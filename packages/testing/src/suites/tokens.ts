import type { TokenRecord } from "@snap/engine";
import assert from "node:assert/strict";
import { sampleAccount } from "./accounts.ts";
import { allAtOnce, assertSameBytes, AT_ONCE, countOf, defineSuite } from "./suite.ts";
import type { DefineTest, OpenStorage, SuiteRunner } from "./suite.ts";

function sampleToken(change: Partial<TokenRecord> = {}): Omit<TokenRecord, "id"> {
  return {
    accountId: "acct_1",
    abilities: ["screenshot", "pdf"],
    secretHash: new Uint8Array(32).fill(7),
    sealedSigningSecret: Uint8Array.from({ length: 256 }, (_, index) => index),
    createdAt: 1_767_225_600_000,
    expiresAt: null,
    rotatedAt: null,
    ...change,
  };
}

function assertSameToken(actual: TokenRecord | undefined, expected: TokenRecord): void {
  assert.ok(actual !== undefined, "there is no such token");
  assertSameBytes(actual.secretHash, expected.secretHash);
  assertSameBytes(actual.sealedSigningSecret, expected.sealedSigningSecret);
  const { secretHash, sealedSigningSecret } = expected;
  assert.deepEqual({ ...actual, secretHash, sealedSigningSecret }, expected);
}

/** The contract of `TokenStore`: ids given once, both secrets exchanged in one step, accounts kept apart. */
export function testTokenStore(runner: SuiteRunner, open: OpenStorage<"accounts" | "tokens">): void {
  defineSuite({ runner, open, name: "TokenStore: look-ups" }, testLookUps);
  defineSuite({ runner, open, name: "TokenStore: lives" }, testLives);
}

function testLookUps(test: DefineTest<"accounts" | "tokens">): void {
  test("finds a token together with its account", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    const expiring = sampleToken({ accountId: "acct_2", abilities: ["pdf"], expiresAt: 1_767_225_600_001 });
    for (const token of [sampleToken(), expiring]) {
      const record = await tokens.insert(token);
      assert.ok(Number.isSafeInteger(record.id) && record.id > 0);
      assertSameToken(record, { id: record.id, ...token });
      const found = await tokens.find(record.id);
      assertSameToken(found?.token, record);
      assert.deepEqual(found?.account, await accounts.find(token.accountId));
    }
  });

  test("answers null for an id that was never given", async ({ tokens }) => {
    for (const id of [0, 1, -1, 1.5, Number.MAX_SAFE_INTEGER]) assert.equal(await tokens.find(id), null);
  });

  test("finds the account as it is now", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const { id } = await tokens.insert(sampleToken());
    await accounts.update("acct_1", { planSlug: "growth" });
    assert.equal((await tokens.find(id))?.account.planSlug, "growth");
  });

  test("rejects a token without an account", async ({ tokens }) => {
    await assert.rejects(tokens.insert(sampleToken()));
    assert.deepEqual(await tokens.listByAccount("acct_1"), []);
  });

  test("lists the tokens of one account, in the order of creation", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    const first = await tokens.insert(sampleToken());
    await tokens.insert(sampleToken({ accountId: "acct_2" }));
    const second = await tokens.insert(sampleToken({ createdAt: 0 }));
    const listed = await tokens.listByAccount("acct_1");
    assert.equal(listed.length, 2);
    assertSameToken(listed[0], first);
    assertSameToken(listed[1], second);
    assert.deepEqual(await tokens.listByAccount("acct_3"), []);
  });
}

function testLives(test: DefineTest<"accounts" | "tokens">): void {
  test("never gives an id twice", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const records = await allAtOnce(() => tokens.insert(sampleToken()));
    const ids = new Set(records.map((record) => record.id));
    assert.equal(ids.size, AT_ONCE);
    // The highest one first: a store that counts up from the highest left would give it again.
    for (const id of [...ids].toSorted((a, b) => b - a)) {
      assert.equal(await tokens.revoke(id), true);
      const { id: next } = await tokens.insert(sampleToken());
      assert.ok(!ids.has(next), `${next} was given before`);
      ids.add(next);
    }
  });

  test("forgets a revoked token", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const { id } = await tokens.insert(sampleToken());
    const answers = await allAtOnce(() => tokens.revoke(id));
    assert.equal(countOf(answers, true), 1);
    assert.equal(await tokens.find(id), null);
    assert.deepEqual(await tokens.listByAccount("acct_1"), []);
    const next = { secretHash: new Uint8Array(32), sealedSigningSecret: new Uint8Array(8), rotatedAt: 1 };
    assert.equal(await tokens.rotate(id, next), null);
  });

  test("exchanges both secrets and keeps the rest", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const before = await tokens.insert(sampleToken({ abilities: ["screenshot"], expiresAt: 9 }));
    const other = await tokens.insert(sampleToken());
    const next = {
      secretHash: new Uint8Array(32).fill(8),
      sealedSigningSecret: new Uint8Array(60).fill(9),
      rotatedAt: 1_767_225_700_000,
    };
    const after = await tokens.rotate(before.id, next);
    assertSameToken(after ?? undefined, { ...before, ...next });
    assertSameToken((await tokens.find(before.id))?.token, { ...before, ...next });
    assertSameToken((await tokens.find(other.id))?.token, other);
  });

  test("of many rotations at once, keeps the two secrets of one", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const { id } = await tokens.insert(sampleToken());
    await allAtOnce((index) =>
      tokens.rotate(id, {
        secretHash: new Uint8Array(32).fill(index),
        sealedSigningSecret: new Uint8Array(32).fill(index),
        rotatedAt: index,
      }),
    );
    const found = await tokens.find(id);
    assert.ok(found);
    assertSameBytes(found.token.secretHash, found.token.sealedSigningSecret);
    assert.equal(found.token.secretHash[0], found.token.rotatedAt);
  });

  test("does not share its buffers", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const secretHash = new Uint8Array(32).fill(7);
    const record = await tokens.insert(sampleToken({ secretHash }));
    secretHash.fill(0);
    record.secretHash.fill(0);
    (await tokens.find(record.id))?.token.secretHash.fill(0);
    const found = await tokens.find(record.id);
    assertSameToken(found?.token, { id: record.id, ...sampleToken() });
  });
}
