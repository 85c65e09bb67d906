import assert from "node:assert/strict";
import { sampleAccount } from "./account-samples.ts";
import type { DefineTest } from "./suite.ts";
import { hexOf, sampleToken } from "./token-samples.ts";

/** Tests ids that no token has, including numbers that a database cannot store as an integer. */
export function testUnknownTokens(test: DefineTest<"accounts" | "tokens">): void {
  test("finds and changes nothing for an unknown id", async ({ accounts, tokens }) => {
    await accounts.insert(sampleAccount());
    const token = await tokens.insert(sampleToken());
    const secrets = { secretHash: hexOf(32, 0), sealedSigningSecret: hexOf(8, 0) };
    const replacement = { current: token.sealedSigningSecret, next: hexOf(8, 0) };
    for (const id of [0, token.id + 1, -1, token.id + 0.5, Number.MAX_SAFE_INTEGER, 1e21, NaN]) {
      assert.equal(await tokens.find(id), null, `find ${id}`);
      const rotation = await tokens.rotate(id, { ...secrets, rotatedAt: 1, overlapEndsAt: null });
      assert.equal(rotation, null, `rotate ${id}`);
      await tokens.recordUse({ id, usedAt: 3_600_000 });
      assert.equal(await tokens.replaceSigningSecret(id, replacement), null, `replaceSigningSecret ${id}`);
      assert.equal(await tokens.revoke(id), false, `revoke ${id}`);
    }
    assert.deepEqual(await tokens.listByAccount("acct_1"), [token]);
  });
}
