import assert from "node:assert/strict";
import { sampleAccount } from "./account-samples.ts";
import { concurrently, CONCURRENT_CALLS } from "./suite.ts";
import type { DefineTest } from "./suite.ts";
import { hexOf, sampleToken } from "./token-samples.ts";

export function testEnsuredTokens(test: DefineTest<"accounts" | "tokens" | "ledger">): void {
  test("stores only one token per name under concurrent calls", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const other = await tokens.insert(sampleToken());
    const token = { ...sampleToken(), name: "the shop" };
    const results = await concurrently(() => tokens.ensure(token));
    assert.equal(results.filter(({ change }) => change === "created").length, 1);
    assert.equal(results.filter(({ change }) => change === "none").length, CONCURRENT_CALLS - 1);
    const [first, ...more] = (await tokens.listByAccount("acct_1")).filter(({ id }) => id !== other.id);
    assert.equal(more.length, 0);
    assert.deepEqual(first, { id: first?.id, ...token, previous: null, lastUsedAt: null });
    for (const result of results) assert.deepEqual(result.token, first);
  });

  test("replaces the secrets, abilities and expiry of a token of the same name, once", async ({
    accounts,
    tokens,
  }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    const token = { ...sampleToken({ abilities: ["pdf"], expiresAt: 1 }), name: "the shop" };
    const other = await tokens.insert({ ...token, accountId: "acct_2" });
    const before = await tokens.insert(token);
    const overlapping = { secretHash: hexOf(32, 1), sealedSigningSecret: hexOf(60, 1), rotatedAt: 5 };
    await tokens.rotate(before.id, { ...overlapping, overlapEndsAt: 9_999_999_999_999 });
    const secrets = { secretHash: hexOf(32, 8), sealedSigningSecret: hexOf(60, 8) };
    const results = await concurrently(() =>
      tokens.ensure({ ...sampleToken(), name: "the shop", ...secrets, createdAt: 1_767_225_700_000 }),
    );
    assert.equal(results.filter(({ change }) => change === "rotated").length, 1);
    const { abilities, expiresAt } = sampleToken();
    const expected = { ...before, ...secrets, abilities, expiresAt, rotatedAt: 1_767_225_700_000 };
    assert.deepEqual((await tokens.find(before.id))?.token, expected);
    for (const result of results) assert.deepEqual(result.token, expected);
    assert.deepEqual((await tokens.find(other.id))?.token, other);
  });
}
