import type { AccountFilter, AccountStore } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { sampleAccount } from "./account-samples.ts";
import { assertPages } from "./pages.ts";
import { UNUSUAL_STRINGS, type DefineTest } from "./suite.ts";

/** Filters, each with the ids of the accounts that it matches, in order of creation. */
const FILTERS: readonly (readonly [filter: AccountFilter, ids: readonly string[]])[] = [
  [{}, ["acct_d", "acct_b", "acct_e", "acct_a", "acct_c"]],
  [{ emailPart: "EXAMPLE.com" }, ["acct_d", "acct_b", "acct_c"]],
  [{ emailPart: "%" }, []],
  [{ planSlug: "starter" }, ["acct_d", "acct_c"]],
  [{ planSlug: null }, ["acct_e", "acct_a"]],
  [{ isVerified: false }, ["acct_b", "acct_a"]],
  [{ isVerified: true }, ["acct_d", "acct_e", "acct_c"]],
  [{ emailPart: "example", planSlug: "starter", isVerified: true }, ["acct_d", "acct_c"]],
];

/** Tests paging, filters, and lookups by email address. */
export function testAccountPages(test: DefineTest<"accounts">): void {
  test("finds an account by its email address, ignoring ASCII case", async ({ accounts }) => {
    await accounts.insert(sampleAccount({ email: "Ada@example.com" }));
    // the Kelvin sign: Unicode's lowercase of it is "k", but it is not ASCII
    await accounts.insert(sampleAccount({ id: "acct_2", email: "\u212ait@example.com" }));
    assert.equal((await accounts.findByEmail("aDA@Example.com"))?.id, "acct_1");
    assert.equal((await accounts.findByEmail("\u212aIT@example.com"))?.id, "acct_2");
    for (const email of ["kit@example.com", "ada@example.co", "da@example.com", "", "a\0b"])
      assert.equal(await accounts.findByEmail(email), null, JSON.stringify(email));
  });

  test("returns pages in order of creation, for each filter", async ({ accounts }) => {
    await insertAccounts(accounts);
    for (const [filter, ids] of FILTERS)
      await assertPages((request) => accounts.page({ ...request, ...filter }), ids);
  });

  test("continues after an account that the filter does not match", async ({ accounts }) => {
    await insertAccounts(accounts);
    const { entries } = await accounts.page({ after: "acct_b", limit: 10, planSlug: "starter" });
    assert.deepEqual(
      entries.map(({ id }) => id),
      ["acct_c"],
    );
  });

  test("returns an empty page after an unknown account", async ({ accounts }) => {
    await insertAccounts(accounts);
    for (const after of ["acct_f", "", "a\0b", ...UNUSUAL_STRINGS])
      assert.deepEqual(await accounts.page({ after, limit: 10 }), { entries: [], more: 0 });
  });

  test("returns the accounts on a page as stored", async ({ accounts }) => {
    await accounts.insert(sampleAccount());
    assert.deepEqual(await accounts.page({ limit: 1 }), { entries: [sampleAccount()], more: 0 });
  });
}

async function insertAccounts(accounts: AccountStore): Promise<void> {
  const changes = [
    { id: "acct_d", email: "d@example.com" },
    { id: "acct_b", email: "b@Example.com", planSlug: "growth", emailVerifiedAt: null },
    { id: "acct_e", email: "e@other.org", planSlug: null },
    { id: "acct_a", email: "a@other.org", planSlug: null, emailVerifiedAt: null },
    { id: "acct_c", email: "c@EXAMPLE.com" },
  ];
  for (const change of changes) await accounts.insert(sampleAccount(change));
}
