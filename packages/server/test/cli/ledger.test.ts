import { createEngine } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeRenderer, createFakeResolver } from "@snap/testing";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkspace } from "./command.ts";

const SECRET_KEY = "a key for these tests";
const workspace = openWorkspace({ SNAP_SECRET_KEY: SECRET_KEY });
afterAll(() => workspace.cleanUp());

const ids: string[] = [];

beforeAll(async () => {
  const engine = createEngine({
    storage: await openSqliteStorage({ directory: join(workspace.directory, "data") }),
    renderer: createFakeRenderer(),
    resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
    secretKey: SECRET_KEY,
  });
  for (const email of ["ada@example.com", "grace@example.com", "without-plan@example.com"]) {
    const planSlug = email.startsWith("without") ? null : "starter";
    const account = await engine.accounts.create({ email, planSlug, verified: true });
    ids.push(account.id);
    await engine.credits(account);
    if (planSlug === null) continue;
    const { token } = await engine.tokens.create({ accountId: account.id });
    const principal = await engine.authenticate(token);
    await engine.capture({ principal, parameters: { url: "https://example.com/" } });
  }
  await engine.close();
});

/** Changes the data directly, without the ledger. */
function tamper(...statements: readonly string[]): void {
  const database = new DatabaseSync(join(workspace.directory, "data", "snap.db"));
  for (const statement of statements) database.exec(statement);
  database.close();
}

describe("ledger verify", () => {
  it("verifies every period of every account", async () => {
    expect(await workspace.json(["ledger", "verify"])).toEqual({
      ok: true,
      verified_periods: 2,
      incomplete_periods: 0,
      differences: [],
    });
    const { code, stdout } = await workspace.run(["ledger", "verify"]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "Verified periods: 2. No differences.\n",
    });
  });

  it("names an account whose balance is not the sum of its journal, and exits with code 1", async () => {
    tamper(`UPDATE balances SET used = used + 1 WHERE account_id = '${ids[0]}'`);
    const { code, stdout } = await workspace.run(["ledger", "verify", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      verified_periods: 2,
      incomplete_periods: 0,
      differences: [
        {
          account_id: ids[0],
          period_started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          balance: { granted: 1000, used: 2, reserved: 0 },
          journal: { granted: 1000, used: 1, reserved: 0 },
          open_reservations: 0,
        },
      ],
    });
    const printed = await workspace.run(["ledger", "verify", "--account", "ada@example.com"]);
    expect(printed.code).toBe(1);
    expect(printed.stdout).toMatch(
      new RegExp(
        `^ACCOUNT .*\n${ids[0]} +\\d{4}-\\d\\d-\\d\\d +balance +1000 +2 +0\n +journal +1000 +1 +0\n`,
      ),
    );
    expect(printed.stdout).toMatch(/^Verified periods: 1\. Differences: 1, in 1 account\.$/m);
    const other = await workspace.run(["ledger", "verify", "--account", String(ids[1])]);
    expect(other.code).toBe(0);
  });

  it("names an account whose balance is missing, or does not include a reservation", async () => {
    tamper(
      `UPDATE balances SET used = used - 1 WHERE account_id = '${ids[0]}'`,
      `DELETE FROM balances WHERE account_id = '${ids[1]}'`,
      `UPDATE reservations SET state = 'open' WHERE account_id = '${ids[0]}'`,
    );
    const { stdout } = await workspace.run(["ledger", "verify", "--json"]);
    const { differences } = JSON.parse(stdout) as { differences: { account_id: string }[] };
    expect(
      differences.toSorted((a, b) => ids.indexOf(a.account_id) - ids.indexOf(b.account_id)),
    ).toMatchObject([
      { account_id: ids[0], open_reservations: 1 },
      { account_id: ids[1], balance: null },
    ]);
  });

  it("does not compare a journal whose beginning is missing", async () => {
    tamper("DROP TRIGGER journal_keeps_whole_periods", "DELETE FROM journal", "DELETE FROM reservations");
    expect(await workspace.json(["ledger", "verify"])).toEqual({
      ok: true,
      verified_periods: 0,
      incomplete_periods: 1,
      differences: [],
    });
    const { stdout } = await workspace.run(["ledger", "verify"]);
    expect(stdout).toBe(
      "Verified periods: 0. No differences.\nIncomplete periods: 1. Only their open reservations were checked.\n",
    );
  });

  it("fails for an unknown account", async () => {
    const { code, stderr } = await workspace.run(["ledger", "verify", "--account", "acct_0"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("account acct_0 not found"),
    });
  });
});
