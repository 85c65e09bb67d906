import type { StoredRendering } from "@snap/engine/ports";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openSqliteStorage } from "../src/index.ts";
import { createTemporaryDirectory } from "./temporary.ts";
import { expectConsistent, release, startWorker, type Worker } from "./worker-process.ts";

const WORKERS = ["a", "b", "c", "d"];
const KILL_ROUNDS = 6;
const MINUTE_MS = 60_000;

describe("several processes", () => {
  it("open a new file at the same time and share its credits and rate limits exactly", async () => {
    for (let round = 0; round < 3; round += 1) {
      const filename = join(await createTemporaryDirectory(), "snap.db");
      const workers = await Promise.all(WORKERS.map((name) => startWorker("consume", { filename, name })));
      release(workers);
      const printed = await Promise.all(workers.map(async ({ lines }) => String((await lines.next()).value)));
      const sums = [0, 1].map((column) =>
        printed.reduce((sum, line) => sum + Number(line.split(" ")[column]), 0),
      );
      expect(sums).toEqual([70, 60]);
      expectConsistent(filename);
    }
  });

  it("see each other's changes immediately", async () => {
    const directory = await createTemporaryDirectory();
    const server = await openSqliteStorage({ directory });
    const commandLine = await openSqliteStorage({ directory });
    const account = {
      id: "acct_1",
      email: "ada@example.com",
      emailVerifiedAt: 1,
      planSlug: null,
      creditsPerPeriod: null,
      requestsPerMinute: null,
      createdAt: 1,
      suspendedAt: null,
      deletionStartedAt: null,
    };
    await commandLine.accounts.insert(account);
    expect(await server.accounts.find("acct_1")).toEqual(account);
    const { id } = await commandLine.tokens.insert({
      accountId: "acct_1",
      name: null,
      abilities: ["pdf"],
      secretHash: "00".repeat(32),
      sealedSigningSecret: "00".repeat(60),
      createdAt: 1,
      expiresAt: null,
      rotatedAt: null,
    });
    expect((await server.tokens.find(id))?.account).toEqual(account);
    await commandLine.tokens.revoke(id);
    expect(await server.tokens.find(id)).toBeNull();
    await commandLine.close();
    await server.check();
    await server.close();
  });
});

describe("kill -9", () => {
  it("loses no acknowledged write and leaves no partial one", async () => {
    const filename = join(await createTemporaryDirectory(), "snap.db");
    const resolutions = new Map<string, string>();
    for (let round = 0; round < KILL_ROUNDS; round += 1) {
      const names = [`a${round}`, `b${round}`];
      const workers = await Promise.all(names.map((name) => startWorker("churn", { filename, name })));
      release(workers);
      await Promise.all(
        workers.map((worker) => killAfter(worker, 1 + Math.floor(Math.random() * 200), resolutions)),
      );
      expectConsistent(filename);
    }

    const storage = await openSqliteStorage({ filename });
    for (const [reservationId, resolution] of resolutions)
      expect(await storage.ledger.refund({ reservationId, now: 0 })).toBe(resolution);
    const keys = Array.from({ length: 10 }, (_, key) => ({ accountId: "acct_1", key: `${key}`, now: 1 }));
    const found = await Promise.all(keys.map((key) => storage.renderings.get(key)));
    const isTorn = (one: StoredRendering | null): boolean =>
      one !== null && !one.bytes.every((byte) => `"${byte}"` === one.etag);
    expect(found.filter(isTorn)).toEqual([]);
    // unresolved reservations lapse
    const period = { startedAt: 0, resetsAt: 2_000_000 };
    const request = { accountId: "acct_1", period, granted: 1_000_000, now: 1_999_999 };
    expect((await storage.ledger.balance(request)).reserved).toBe(0);
    const files = await readdir(`${filename}-renderings`);
    expect(files.length).toBeGreaterThanOrEqual(10);
    await storage.renderings.prune({ now: Date.now() + MINUTE_MS, limit: 0 });
    expect(await readdir(`${filename}-renderings`)).toHaveLength(10);
    for (const key of keys) expect(await storage.renderings.get(key)).not.toBeNull();
    await storage.close();
    expectConsistent(filename);
  });

  it("between a rendering's two writes leaves a file without a row, which is deleted later", async () => {
    const filename = join(await createTemporaryDirectory(), "snap.db");
    const storage = await openSqliteStorage({ filename });
    const worker = await startWorker("store", { filename, name: "a" });
    const lock = new DatabaseSync(filename);
    lock.exec("BEGIN IMMEDIATE");
    release([worker]);
    const files = (): Promise<string[]> => readdir(`${filename}-renderings`).catch(() => []);
    await expect.poll(files).toHaveLength(1);
    worker.child.kill("SIGKILL");
    await once(worker.child, "exit");
    lock.close();
    expect(await storage.renderings.peek({ accountId: "acct_1", key: "0", now: 1 })).toBeNull();
    expect((await storage.renderings.stats())?.bytes).toBe(0);
    await storage.renderings.prune({ now: Date.now() + MINUTE_MS, limit: 0 });
    expect(await files()).toEqual([]);
    await storage.close();
  });
});

/** Kills the worker once it has printed more than `count` lines, and records all its lines. */
async function killAfter(
  { child, lines }: Worker,
  count: number,
  resolutions: Map<string, string>,
): Promise<void> {
  for (let seen = 0; ; seen += 1) {
    const { value, done } = await lines.next();
    if (done) break;
    const [reservationId = "", resolution = ""] = value.split(" ");
    resolutions.set(reservationId, resolution);
    if (seen === count) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
}
