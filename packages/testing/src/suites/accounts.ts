import type { Account } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { allAtOnce, AT_ONCE, AWKWARD_TEXTS, countOf, defineSuite } from "./suite.ts";
import type { DefineTest, OpenStorage, SuiteRunner } from "./suite.ts";

/** An account with every field set, as the suites store it. */
export function sampleAccount(change: Partial<Account> = {}): Account {
  return {
    id: "acct_1",
    email: "ada@example.com",
    emailVerifiedAt: 1_767_225_600_123,
    planSlug: "starter",
    creditsPerPeriod: 1000,
    requestsPerMinute: 20,
    createdAt: 1_767_225_600_000,
    ...change,
  };
}

/**
 * The contract of `AccountStore`: unique addresses, creation order, changes that do not overwrite
 * one another.
 *
 * @example
 * testAccountStore({ describe, it }, async () => {
 *   const storage = await openMyStorage();
 *   return { storage, close: () => storage.close() };
 * });
 */
export function testAccountStore(runner: SuiteRunner, open: OpenStorage<"accounts">): void {
  defineSuite({ runner, open, name: "AccountStore: inserts" }, testInserts);
  defineSuite({ runner, open, name: "AccountStore: uniqueness" }, testUniqueness);
  defineSuite({ runner, open, name: "AccountStore: updates" }, testUpdates);
}

function testInserts(test: DefineTest<"accounts">): void {
  test("gives an account back as it was stored", async ({ accounts }) => {
    const full = sampleAccount();
    const bare = sampleAccount({
      id: "acct_2",
      email: "grace@example.com",
      emailVerifiedAt: null,
      planSlug: null,
      creditsPerPeriod: null,
      requestsPerMinute: null,
    });
    const nothing = sampleAccount({ id: "acct_3", email: "nil@example.com", creditsPerPeriod: 0 });
    for (const account of [full, bare, nothing]) {
      assert.equal(await accounts.insert(account), true);
      assert.deepEqual(await accounts.find(account.id), account);
    }
    assert.equal(await accounts.find("acct_4"), null);
  });

  test("lists in the order of creation", async ({ accounts }) => {
    assert.deepEqual(await accounts.list(), []);
    const ids = ["acct_b", "acct_c", "acct_a"];
    for (const id of ids) await accounts.insert(sampleAccount({ id, email: `${id}@example.com` }));
    await accounts.update("acct_b", { planSlug: "growth" });
    assert.deepEqual(
      (await accounts.list()).map((account) => account.id),
      ids,
    );
  });

  test("keeps ids apart, whatever they are", async ({ accounts }) => {
    for (const [index, id] of AWKWARD_TEXTS.entries())
      assert.equal(await accounts.insert(sampleAccount({ id, email: `${index}@example.com` })), true);
    for (const [index, id] of AWKWARD_TEXTS.entries())
      assert.equal((await accounts.find(id))?.email, `${index}@example.com`);
  });

  test("answers null for an id that was never given, whatever it is", async ({ accounts }) => {
    for (const id of ["", "nobody", "a\0b", "\ud800"]) {
      assert.equal(await accounts.find(id), null);
      assert.equal(await accounts.update(id, { planSlug: "growth" }), null);
    }
  });
}

function testUniqueness(test: DefineTest<"accounts">): void {
  test("refuses an address that is taken, without regard to ASCII case", async ({ accounts }) => {
    await accounts.insert(sampleAccount());
    assert.equal(await accounts.insert(sampleAccount({ id: "acct_2", email: "ADA@Example.com" })), false);
    assert.equal(await accounts.find("acct_2"), null);
    assert.equal((await accounts.list()).length, 1);
  });

  test("leaves the case of other letters alone", async ({ accounts }) => {
    // U+212A, the Kelvin sign, becomes an ASCII k in Unicode's lower case.
    const emails = ["kit@example.com", "\u212ait@example.com", "éa@example.com", "Éa@example.com"];
    for (const [index, email] of emails.entries())
      assert.equal(await accounts.insert(sampleAccount({ id: `acct_${index}`, email })), true, email);
  });

  test("rejects an id that is taken", async ({ accounts }) => {
    await accounts.insert(sampleAccount());
    await assert.rejects(accounts.insert(sampleAccount({ email: "grace@example.com" })));
    assert.deepEqual(await accounts.list(), [sampleAccount()]);
  });

  test("of many inserts of one address at once, lets one through", async ({ accounts }) => {
    const answers = await allAtOnce((index) => accounts.insert(sampleAccount({ id: `acct_${index}` })));
    assert.equal(countOf(answers, true), 1);
    assert.equal((await accounts.list()).length, 1);
  });
}

function testUpdates(test: DefineTest<"accounts">): void {
  test("changes what is named, and nothing else", async ({ accounts }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    const changed = sampleAccount({ planSlug: null, creditsPerPeriod: null, requestsPerMinute: 60 });
    const change = { planSlug: null, creditsPerPeriod: null, requestsPerMinute: 60 };
    assert.deepEqual(await accounts.update("acct_1", change), changed);
    assert.deepEqual(await accounts.update("acct_1", {}), changed);
    assert.deepEqual(await accounts.find("acct_1"), changed);
    assert.deepEqual(
      await accounts.find("acct_2"),
      sampleAccount({ id: "acct_2", email: "grace@example.com" }),
    );
    assert.equal(await accounts.update("acct_3", { planSlug: "growth" }), null);
  });

  test("refuses to change to an address that is taken", async ({ accounts }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    const change = { email: "Ada@example.com", planSlug: "growth" };
    assert.equal(await accounts.update("acct_2", change), "email-taken");
    assert.equal((await accounts.find("acct_2"))?.planSlug, "starter");
    // Its own address in another case is no collision.
    assert.equal((await accounts.list())[0]?.email, "ada@example.com");
    assert.deepEqual(
      await accounts.update("acct_1", { email: "Ada@example.com" }),
      sampleAccount({ email: "Ada@example.com" }),
    );
  });

  test("keeps changes made at once", async ({ accounts }) => {
    await accounts.insert(sampleAccount());
    await allAtOnce((index) =>
      accounts.update(
        "acct_1",
        index % 2 === 0 ? { creditsPerPeriod: AT_ONCE } : { requestsPerMinute: AT_ONCE },
      ),
    );
    assert.deepEqual(
      await accounts.find("acct_1"),
      sampleAccount({ creditsPerPeriod: AT_ONCE, requestsPerMinute: AT_ONCE }),
    );
  });
}
