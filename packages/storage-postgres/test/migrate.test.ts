import type { BeforeMigration } from "@snap/engine/ports";
import { describe, expect, it } from "vitest";
import { openPostgresTarget } from "../src/index.ts";
import { MIGRATIONS } from "../src/migrate.ts";
import { execute, openStorage, useServer } from "./server.ts";

describe("migrations", { tags: ["postgres"] }, () => {
  const { newDatabase } = useServer();
  const versionsOf = async (url: string): Promise<number[]> =>
    (await execute<{ version: number }>(url, "SELECT version FROM snap.migrations ORDER BY version")).map(
      ({ version }) => version,
    );

  it("run once if many processes start concurrently", async () => {
    const url = await newDatabase({ migrated: false });
    const storages = await Promise.all(Array.from({ length: 10 }, () => openStorage({ url })));
    expect(await versionsOf(url)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    for (const storage of storages) await storage.check();
    await Promise.all(storages.map((storage) => storage.close()));
  });

  it("do not change an up-to-date database", async () => {
    const url = await newDatabase();
    const account = {
      id: "acct_1",
      email: "ada@example.com",
      emailVerifiedAt: null,
      planSlug: null,
      creditsPerPeriod: null,
      requestsPerMinute: null,
      createdAt: 1,
      suspendedAt: null,
      deletionStartedAt: null,
    };
    const first = await openStorage({ url });
    await first.accounts.insert(account);
    await first.close();
    const second = await openStorage({ url });
    expect(await second.accounts.list()).toEqual([account]);
    await second.close();
  });

  it("upgrade a database that has only the first five, so earlier settlements can be reversed", async () => {
    const url = await newDatabase({ migrated: false });
    await execute(url, "CREATE SCHEMA snap; CREATE TABLE snap.migrations (version INTEGER PRIMARY KEY)");
    for (const migration of MIGRATIONS.slice(0, 5)) await execute(url, migration);
    await execute(url, "INSERT INTO snap.migrations SELECT generate_series(1, 5)");
    await execute(url, "SELECT snap.reserve('acct_1', 0, 10, 1, 'res_1', 900)");
    await execute(url, "SELECT snap.end_reservation('res_1', 'settled', 2)");
    const storage = await openStorage({ url });
    expect(await storage.ledger.reverse({ reservationId: "res_1", now: 3 })).toBe("reversed");
    const lines = await storage.ledger.journal({ accountId: "acct_1", limit: 10 });
    expect(lines.map(({ kind }) => kind)).toEqual(["reverse", "settle", "reserve", "grant"]);
    await storage.close();
  });

  it("are announced for an existing schema, and can be prevented", async () => {
    const url = await newDatabase({ migrated: false });
    await execute(url, "CREATE SCHEMA snap; CREATE TABLE snap.migrations (version INTEGER PRIMARY KEY)");
    for (const migration of MIGRATIONS.slice(0, 5)) await execute(url, migration);
    await execute(url, "INSERT INTO snap.migrations SELECT generate_series(1, 5)");
    await execute(url, `INSERT INTO snap.accounts (id, email, created_at) VALUES ('acct_1', 'a@b.org', 0)`);
    for (const sealed of ["01", "a2ff"])
      await execute(
        url,
        `INSERT INTO snap.tokens (account_id, abilities, secret_hash, sealed_signing_secret, created_at)
         VALUES ('acct_1', '{}', decode('${sealed}', 'hex'), decode('${sealed}', 'hex'), 0)`,
      );
    const announced: unknown[] = [];
    const beforeMigration: BeforeMigration = (...announcement) => void announced.push(announcement);
    const prevented = openStorage({ url, beforeMigration: () => expect.fail("not now") });
    await expect(prevented).rejects.toThrow("not now");
    await expect(openPostgresTarget({ url })).rejects.toThrow("the database has schema version 5, not 11");
    expect(await versionsOf(url)).toEqual([1, 2, 3, 4, 5]);
    for (let opened = 0; opened < 2; opened += 1) await (await openStorage({ url, beforeMigration })).close();
    const created = await newDatabase({ migrated: false });
    await (await openStorage({ url: created, beforeMigration })).close();
    expect(announced).toEqual([[{ from: 5, to: 11, copy: null }, "a2ff"]]);
  });

  it("reject the schema of a newer release", async () => {
    const url = await newDatabase();
    await execute(url, "INSERT INTO snap.migrations (version) VALUES (99)");
    await expect(openStorage({ url })).rejects.toThrow(
      "(schema version 99; this release supports up to 11); upgrade to that release or a newer one",
    );
  });

  it("make the journal append-only", async () => {
    const url = await newDatabase();
    const storage = await openStorage({ url });
    const period = { startedAt: 0, resetsAt: 1000 };
    await storage.ledger.balance({ accountId: "acct_1", period, granted: 5, now: 1 });
    for (const statement of [
      "UPDATE snap.journal SET credits = 9",
      "DELETE FROM snap.journal",
      "TRUNCATE snap.journal",
    ])
      await expect(execute(url, statement)).rejects.toThrow("the journal is append-only");
    await storage.close();
  });
});
