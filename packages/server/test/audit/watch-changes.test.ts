import { createEngine, type Engine } from "@snap/engine";
import { createFakeRenderer, createMemoryStorage } from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { watchChanges } from "../../src/audit/watch-changes.ts";

let engine: Engine;
beforeEach(() => {
  engine = createEngine({
    storage: createMemoryStorage(),
    renderer: createFakeRenderer(),
    secretKey: "a key for these tests",
  });
});

describe("watchChanges", () => {
  it("counts a method as a change unless it is known to be read-only", async () => {
    const { id } = await engine.accounts.create({ email: "ada@example.com", planSlug: null, verified: true });
    // stands in for a method that a later release might add
    const rename = async (renamed: string): Promise<unknown> => ({ renamed });
    const later = { ...engine, accounts: { ...engine.accounts, rename } };
    const { watched, changes } = watchChanges(later);
    await watched.accounts.list();
    await watched.accounts.get(id);
    await watched.health();
    expect(changes).toEqual({ made: false, subjects: new Set() });
    await (watched as typeof later).accounts.rename(id);
    expect(changes).toEqual({ made: true, subjects: new Set([`account ${id}`]) });
  });

  it("counts a failed call as a change, unless the engine refused it", async () => {
    const failing = {
      ...engine,
      tokens: { ...engine.tokens, revoke: () => Promise.reject(new Error("no response")) },
    };
    const { watched, changes } = watchChanges(failing);
    await expect(watched.tokens.rotate(3)).rejects.toThrow("token 3 not found");
    expect(changes.made).toBe(false);
    await expect(watched.tokens.revoke(3)).rejects.toThrow("no response");
    expect(changes).toEqual({ made: true, subjects: new Set(["token 3"]) });
  });

  it("counts no change in a dry run, even if it fails", async () => {
    const { watched, changes } = watchChanges(engine);
    await watched.tokens.replaceLostSecrets({ dryRun: true });
    const replaceLostSecrets = (): Promise<never> => Promise.reject(new Error("no response"));
    const failing = watchChanges({ ...engine, tokens: { ...engine.tokens, replaceLostSecrets } });
    await expect(failing.watched.tokens.replaceLostSecrets({ dryRun: true })).rejects.toThrow("no response");
    expect([changes.made, failing.changes.made]).toEqual([false, false]);
    await expect(failing.watched.tokens.replaceLostSecrets()).rejects.toThrow("no response");
    expect(failing.changes.made).toBe(true);
  });

  it("counts no change if only the list of servers is read", async () => {
    const servers = [{ name: "PostgreSQL", now: () => Promise.resolve(0) }];
    const { watched, changes } = watchChanges({ ...engine, servers });
    expect(watched.servers.map(({ name }) => name)).toEqual(["PostgreSQL"]);
    expect(changes.made).toBe(false);
  });

  it("records the purge of one account's renderings, or of all", async () => {
    const one = watchChanges(engine);
    await one.watched.purgeRenderings({ accountId: "acct_0123456789abcdef0123" });
    expect(one.changes.subjects).toEqual(new Set(["account acct_0123456789abcdef0123"]));
    const all = watchChanges(engine);
    await all.watched.purgeRenderings({ accountId: null });
    expect(all.changes.subjects).toEqual(new Set(["all renderings"]));
  });

  it("counts no change if a method returns null", async () => {
    const { watched, changes } = watchChanges(engine);
    expect(await watched.operators.signIn("a wrong code")).toBeNull();
    expect(changes.made).toBe(false);
    const { code } = await engine.operators.createLink();
    expect(await watched.operators.signIn(code)).not.toBeNull();
    expect(changes).toEqual({ made: true, subjects: new Set() });
  });

  it("records only ids, not other numbers", async () => {
    const { watched, changes } = watchChanges(engine);
    const account = await watched.accounts.create({
      email: "ada@example.com",
      planSlug: null,
      verified: true,
      creditsPerPeriod: 5,
    });
    const { record } = await watched.tokens.create({ accountId: account.id, expiresAt: Date.now() + 9_000 });
    await watched.tokens.rotate(record.id, { overlapMs: 86_400_000 });
    expect(changes.subjects).toEqual(new Set([`account ${account.id}`, "token 1"]));
  });

  it("does not record ids in the text that a caller has sent", async () => {
    const { id } = await engine.accounts.create({ email: "ada@example.com", planSlug: null, verified: true });
    const redeliver = async (batchId: string): Promise<unknown> => ({
      id: batchId,
      accountId: id,
      items: [{ parameters: { pdfTitle: "acct_0123456789abcdef0123", hideSelectors: ["batch_0"] } }],
    });
    const sending = { ...engine, batches: { ...engine.batches, redeliver } } as unknown as Engine;
    const { watched, changes } = watchChanges(sending);
    await watched.batches.redeliver("batch_1");
    expect(changes.subjects).toEqual(new Set(["batch batch_1", `account ${id}`]));
  });
});
