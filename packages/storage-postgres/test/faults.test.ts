import type { Resolution, Storage } from "@snap/engine/ports";
import dns from "node:dns";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openDatabase } from "../src/database.ts";
import { execute, openStorage, useServer } from "./server.ts";

const UNREACHABLE = /ECONNREFUSED|Connection terminated/;
const PERIOD = { startedAt: 0, resetsAt: 1_000_000 };

describe("PostgreSQL storage", { tags: ["postgres"] }, () => {
  const { server, newDatabase } = useServer();
  const opened: Storage[] = [];
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
  });
  const open = async (
    onBackgroundError?: (error: unknown) => void,
  ): Promise<{ storage: Storage; url: string }> => {
    const url = await newDatabase();
    const storage = await openStorage({ url, ...(onBackgroundError && { onBackgroundError }) });
    opened.push(storage);
    return { storage, url };
  };

  it("accounts for every credit when the server is killed and restarted", async () => {
    const { storage } = await open();
    const request = { accountId: "acct_1", period: PERIOD, granted: 1000, now: 1 };
    const resolutions: Resolution[] = [];
    let failures = 0;
    const work = Array.from({ length: 200 }, async (_, index) => {
      const reservationId = `res_${index}`;
      try {
        await storage.ledger.reserve({ ...request, reservationId, lapsesAt: 900_000 });
        resolutions.push(await storage.ledger.settle({ reservationId, now: 2 }));
      } catch {
        failures += 1;
      }
    });
    await server().kill();
    await server().start();
    await Promise.all(work);
    const settled = resolutions.filter((resolution) => resolution === "settled").length;
    expect(settled + failures).toBe(200);
    const { used, reserved } = await storage.ledger.balance(request);
    // every acknowledged settlement is charged; a failed call may also be charged
    expect(used).toBeGreaterThanOrEqual(settled);
    expect(used + reserved).toBeLessThanOrEqual(200);
    const lines = await storage.ledger.journal({ accountId: "acct_1", limit: 1000 });
    const count = (kind: string): number => lines.filter((line) => line.kind === kind).length;
    expect(count("settle")).toBe(used);
    expect(count("reserve")).toBe(used + reserved);
  });

  it("reports each statement that waits because all connections are in use", async () => {
    let waits = 0;
    const onConnectionWait = (): void => void (waits += 1);
    const storage = await openStorage({ url: await newDatabase(), maxConnections: 1, onConnectionWait });
    opened.push(storage);
    await storage.accounts.list();
    expect(waits).toBe(0);
    await Promise.all([storage.accounts.list(), storage.accounts.list(), storage.accounts.list()]);
    expect(waits).toBe(2);
  });

  it("retries a statement that has waited too long for a connection", async () => {
    const options = { maxConnections: 1, isPooled: false, onBackgroundError: () => {} };
    const database = openDatabase({ url: await newDatabase(), ...options });
    const busy = database.query("SELECT pg_sleep(5.2)");
    expect(await database.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await busy;
    await database.close();
  });

  it("rejects calls while the server is down, and recovers", async () => {
    const { storage } = await open();
    await server().kill();
    await expect(storage.check()).rejects.toThrow(UNREACHABLE);
    await expect(storage.accounts.list()).rejects.toThrow(UNREACHABLE);
    await server().start();
    await storage.check();
    expect(await storage.accounts.list()).toEqual([]);
  });

  it("reports and reopens lost idle connections", async () => {
    const errors: unknown[] = [];
    const { storage, url } = await open((error) => errors.push(error));
    await storage.accounts.list();
    await execute(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'snap' AND datname = current_database()",
    );
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    expect(await storage.accounts.list()).toEqual([]);
  });

  it("waits for a host name that is temporarily unknown, such as that of a restarting container", async () => {
    const url = await newDatabase();
    const lookup = resolveAfter(1);
    const database = openDatabase({
      url: url.replace("127.0.0.1", "db.test"),
      isPooled: false,
      maxConnections: 1,
      onBackgroundError: () => {},
    });
    onTestFinished(() => database.close());
    expect(await database.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    expect(lookup).toHaveBeenCalledTimes(2);
  });

  it("rejects an unknown host name on opening, without waiting", async () => {
    const lookup = resolveAfter(Infinity);
    await expect(openStorage({ url: "postgres://snap@db.test/snap" })).rejects.toThrow(
      "getaddrinfo ENOTFOUND db.test; correct the host name",
    );
    expect(lookup).toHaveBeenCalledTimes(1);
  });

  it("rejects on opening if the server is unreachable or rejects the connection", async () => {
    await expect(openStorage({ url: "postgres://snap@127.0.0.1:1/snap" })).rejects.toThrow("ECONNREFUSED");
    await expect(openStorage({ url: server().url("nowhere") })).rejects.toThrow(
      'database "nowhere" does not exist',
    );
  });
});

type LookupCallback = (error: Error | null, addresses?: readonly dns.LookupAddress[]) => void;

/** Makes the first `failures` lookups fail, and later ones resolve every name to this machine. */
function resolveAfter(failures: number) {
  let lookups = 0;
  const lookup = vi.spyOn(dns, "lookup").mockImplementation(((
    name: string,
    _: unknown,
    callback: LookupCallback,
  ) => {
    lookups += 1;
    if (lookups > failures) return callback(null, [{ address: "127.0.0.1", family: 4 }]);
    callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" }));
  }) as typeof dns.lookup);
  onTestFinished(() => lookup.mockRestore());
  return lookup;
}
