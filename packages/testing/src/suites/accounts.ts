import assert from "node:assert/strict";
import { testAccountPages } from "./account-pages.ts";
import { sampleAccount } from "./account-samples.ts";
import { concurrently, CONCURRENT_CALLS, UNUSUAL_STRINGS, countOf, defineSuite, overwrite } from "./suite.ts";
import type { DefineTest, OpenStorage, SuiteRunner } from "./suite.ts";

/**
 * Tests `AccountStore`: unique email addresses, pages in order of creation, and concurrent changes.
 *
 * @example
 * testAccountStore({ describe, it }, async () => {
 *   const storage = await openMyStorage({});
 *   return { storage, close: () => storage.close() };
 * });
 */
export function testAccountStore(runner: SuiteRunner, open: OpenStorage<"accounts">): void {
  defineSuite({ runner, open, name: "AccountStore: inserts" }, testInserts);
  defineSuite({ runner, open, name: "AccountStore: uniqueness" }, testUniqueness);
  defineSuite({ runner, open, name: "AccountStore: updates" }, testUpdates);
  defineSuite({ runner, open, name: "AccountStore: suspensions and deletions" }, testSuspensionsAndDeletions);
  defineSuite({ runner, open, name: "AccountStore: pages" }, testAccountPages);
}

function testInserts(test: DefineTest<"accounts">): void {
  test("returns an account as stored", async ({ accounts }) => {
    const full = sampleAccount();
    const bare = sampleAccount({
      id: "acct_2",
      email: "grace@example.com",
      emailVerifiedAt: null,
      planSlug: null,
      creditsPerPeriod: null,
      requestsPerMinute: null,
    });
    const withoutCredits = sampleAccount({ id: "acct_3", email: "nil@example.com", creditsPerPeriod: 0 });
    for (const account of [full, bare, withoutCredits]) {
      assert.equal(await accounts.insert(account), true);
      assert.deepEqual(await accounts.find(account.id), account);
    }
    assert.equal(await accounts.find("acct_4"), null);
  });

  test("lists accounts in order of creation", async ({ accounts }) => {
    assert.deepEqual(await accounts.list(), []);
    const ids = ["acct_b", "acct_c", "acct_a"];
    for (const id of ids) await accounts.insert(sampleAccount({ id, email: `${id}@example.com` }));
    await accounts.update("acct_b", { planSlug: "growth" });
    assert.deepEqual(
      (await accounts.list()).map((account) => account.id),
      ids,
    );
  });

  test("isolates stored accounts from its arguments and results", async ({ accounts }) => {
    const account = sampleAccount();
    await accounts.insert(account);
    overwrite(account);
    overwrite(await accounts.find("acct_1"));
    overwrite(await accounts.findByEmail("ada@example.com"));
    overwrite(await accounts.page({ limit: 1 }));
    overwrite(await accounts.list());
    overwrite(await accounts.update("acct_1", { planSlug: "starter" }));
    assert.deepEqual(await accounts.find("acct_1"), sampleAccount());
    overwrite(await accounts.startDeletion({ id: "acct_1", now: 7 }));
    assert.deepEqual(await accounts.find("acct_1"), sampleAccount({ suspendedAt: 7, deletionStartedAt: 7 }));
  });

  test("distinguishes unusual ids", async ({ accounts }) => {
    for (const [index, id] of UNUSUAL_STRINGS.entries())
      assert.equal(await accounts.insert(sampleAccount({ id, email: `${index}@example.com` })), true, id);
    for (const [index, id] of UNUSUAL_STRINGS.entries())
      assert.equal((await accounts.find(id))?.email, `${index}@example.com`, id);
  });

  test("returns null for an unknown id", async ({ accounts }) => {
    for (const id of ["", "nobody", "a\0b", "\ud800"]) {
      assert.equal(await accounts.find(id), null, `find ${JSON.stringify(id)}`);
      assert.equal(await accounts.update(id, { planSlug: "growth" }), null, `update ${JSON.stringify(id)}`);
    }
  });
}

function testUniqueness(test: DefineTest<"accounts">): void {
  test("rejects an email address that is taken, ignoring ASCII case", async ({ accounts }) => {
    await accounts.insert(sampleAccount());
    assert.equal(await accounts.insert(sampleAccount({ id: "acct_2", email: "ADA@Example.com" })), false);
    assert.equal(await accounts.find("acct_2"), null);
    assert.equal((await accounts.list()).length, 1);
  });

  test("distinguishes the case of non-ASCII letters", async ({ accounts }) => {
    // Unicode lowercases U+212A, the Kelvin sign, to an ASCII k
    const emails = ["kit@example.com", "\u212ait@example.com", "éa@example.com", "Éa@example.com"];
    for (const [index, email] of emails.entries())
      assert.equal(await accounts.insert(sampleAccount({ id: `acct_${index}`, email })), true, email);
  });

  test("rejects an id that is taken", async ({ accounts }) => {
    await accounts.insert(sampleAccount());
    await assert.rejects(
      accounts.insert(sampleAccount({ email: "grace@example.com" })),
      "insert must reject an id that is taken",
    );
    assert.deepEqual(await accounts.list(), [sampleAccount()]);
  });

  test("accepts only one of many concurrent inserts with the same email address", async ({ accounts }) => {
    const results = await concurrently((index) => accounts.insert(sampleAccount({ id: `acct_${index}` })));
    assert.equal(countOf(results, true), 1, "inserts that succeeded");
    assert.equal((await accounts.list()).length, 1, "stored accounts");
  });
}

function testUpdates(test: DefineTest<"accounts">): void {
  test("changes only the given fields", async ({ accounts }) => {
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

  test("rejects a change to an email address that is taken", async ({ accounts }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    const change = { email: "Ada@example.com", planSlug: "growth" };
    assert.equal(await accounts.update("acct_2", change), "email-taken");
    assert.equal((await accounts.find("acct_2"))?.planSlug, "starter");
    assert.equal((await accounts.list())[0]?.email, "ada@example.com");
    // an account can change the case of its address
    assert.deepEqual(
      await accounts.update("acct_1", { email: "Ada@example.com" }),
      sampleAccount({ email: "Ada@example.com" }),
    );
  });

  test("preserves concurrent changes", async ({ accounts }) => {
    await accounts.insert(sampleAccount());
    await concurrently((index) =>
      accounts.update(
        "acct_1",
        index % 2 === 0 ? { creditsPerPeriod: CONCURRENT_CALLS } : { requestsPerMinute: CONCURRENT_CALLS },
      ),
    );
    assert.deepEqual(
      await accounts.find("acct_1"),
      sampleAccount({ creditsPerPeriod: CONCURRENT_CALLS, requestsPerMinute: CONCURRENT_CALLS }),
    );
  });
}

function testSuspensionsAndDeletions(test: DefineTest<"accounts">): void {
  const NOW = 1_767_225_700_000;

  test("suspends and resumes an account", async ({ accounts }) => {
    await accounts.insert(sampleAccount());
    const suspended = sampleAccount({ suspendedAt: NOW });
    assert.deepEqual(await accounts.update("acct_1", { suspendedAt: NOW }), suspended);
    assert.deepEqual(await accounts.find("acct_1"), suspended);
    assert.deepEqual(await accounts.list(), [suspended]);
    assert.deepEqual(await accounts.update("acct_1", { suspendedAt: null }), sampleAccount());
  });

  test("starts a deletion once, and keeps an earlier suspension", async ({ accounts }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com", suspendedAt: 5 }));
    const started = sampleAccount({ suspendedAt: NOW, deletionStartedAt: NOW });
    assert.deepEqual(await accounts.startDeletion({ id: "acct_1", now: NOW }), started);
    assert.deepEqual(await accounts.startDeletion({ id: "acct_1", now: NOW + 1 }), started);
    assert.deepEqual(await accounts.find("acct_1"), started);
    const second = await accounts.startDeletion({ id: "acct_2", now: NOW });
    assert.deepEqual([second?.suspendedAt, second?.deletionStartedAt], [5, NOW]);
    assert.equal(await accounts.startDeletion({ id: "acct_3", now: NOW }), null);
  });

  test("deletes an account, and frees its email address", async ({ accounts }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    assert.equal(await accounts.delete({ id: "acct_1", now: NOW }), true);
    assert.equal(await accounts.delete({ id: "acct_1", now: NOW }), false);
    assert.equal(await accounts.find("acct_1"), null);
    assert.equal(await accounts.insert(sampleAccount({ id: "acct_3" })), true);
    assert.deepEqual(
      (await accounts.list()).map(({ id }) => id),
      ["acct_2", "acct_3"],
    );
  });

  test("forgets finished deletions up to the limit, once they are old enough", async ({ accounts }) => {
    const unfinished = { id: "acct_0", now: NOW - 1 };
    await accounts.insert(sampleAccount({ id: "acct_0", email: "acct_0@example.com" }));
    await accounts.startDeletion(unfinished);
    const ids = ["acct_1", "acct_2", "acct_3"];
    for (const [index, id] of ids.entries()) {
      await accounts.insert(sampleAccount({ id, email: `${id}@example.com` }));
      await accounts.startDeletion({ id, now: NOW });
      await accounts.delete({ id, now: NOW + index });
    }
    assert.equal(await accounts.prune({ before: NOW, limit: 10 }), 0);
    assert.equal(await accounts.prune({ before: NOW + 2, limit: 1 }), 1);
    assert.equal(await accounts.prune({ before: NOW + 2, limit: 10 }), 1);
    assert.equal(await accounts.prune({ before: NOW + 2, limit: 10 }), 0);
    await accounts.delete(unfinished);
    assert.equal(await accounts.prune({ before: NOW + 2, limit: 10 }), 1);
  });
}
