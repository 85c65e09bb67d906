import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCluster, type Cluster } from "./cluster.ts";

const FIND_KEYS = `
local found = {}
for _, key in ipairs(redis.call("KEYS", "*")) do
  local kind = redis.call("TYPE", key).ok
  local values = kind == "hash" and redis.call("HGETALL", key) or kind == "zset" and redis.call("ZRANGE", key, 0, -1)
    or {redis.call("GET", key)}
  table.insert(values, key)
  for _, value in ipairs(values) do
    if string.find(value, ARGV[1], 1, true) then table.insert(found, key) break end
  end
end
return found`;

describe("an account with PostgreSQL and Redis", { tags: ["postgres", "redis"] }, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ apis: 2, workers: 1 });
  });
  afterAll(() => cluster.close());

  const createCustomer = async (name: string): Promise<{ readonly id: string; readonly token: string }> => {
    const account = { email: `${name}@example.com`, planSlug: "scale", verified: true };
    const { id } = await cluster.engine.accounts.create(account);
    const { token } = await cluster.engine.tokens.create({ accountId: id });
    return { id, token };
  };
  const send = (api: number, token: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${cluster.apis[api]?.origin}/v1${path}`, {
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
  const render = async (api: number, token: string, page: string): Promise<number> =>
    (await send(api, token, `/snap?url=${encodeURIComponent(`https://example.com/${page}`)}`)).status;

  /** Returns the lines of a dump that contain a string. */
  const findInDump = (text: string): string[] => {
    const [program = "pg_dump"] = globSync("/usr/lib/postgresql/[0-9]*/bin/pg_dump");
    const options = { encoding: "utf8", maxBuffer: 1e9 } as const;
    const dump = execFileSync(program, ["--dbname", cluster.postgres.url(), "--inserts"], options);
    return dump.split("\n").filter((line) => line.includes(text));
  };
  /** Returns the keys in Redis whose name or value contains a string. */
  const keysWith = (text: string): string[] => {
    const output = execFileSync("redis-cli", ["-u", cluster.redis.url, "EVAL", FIND_KEYS, "0", text]);
    const keys = output.toString().trim().split("\n").filter(Boolean);
    // render leases expire within six seconds
    return keys.filter((key) => !key.startsWith("snap:lease:"));
  };

  it("is suspended and resumed in all processes immediately", async () => {
    const { id, token } = await createCustomer("suspended");
    for (const api of [0, 1]) expect(await render(api, token, "suspended")).toBe(200);
    await cluster.engine.accounts.suspend(id);
    for (const api of [0, 1]) expect(await render(api, token, "suspended")).toBe(403);
    await cluster.engine.accounts.resume(id);
    for (const api of [0, 1]) expect(await render(api, token, "suspended")).toBe(200);
  });

  it("leaves only its ledger when it is deleted, and nothing with purge", async () => {
    const other = await createCustomer("grace-hopper");
    const { id, token } = await createCustomer("ada-lovelace");
    expect(await render(0, other.token, "grace-hopper")).toBe(200);
    // more renderings than one call to Redis deletes (200)
    const pages = Array.from({ length: 205 }, (_, page) => render(page % 2, token, `ada-lovelace/${page}`));
    expect(new Set(await Promise.all(pages))).toEqual(new Set([200]));
    const items = [{ url: "https://example.com/ada-lovelace/batch" }];
    expect((await send(0, token, "/renders", { items })).status).toBe(202);
    expect(findInDump("ada-lovelace")).not.toEqual([]);
    expect(keysWith(id)).not.toEqual([]);

    const deleted = await cluster.engine.accounts.delete(id);
    expect(deleted).toMatchObject({ tokens: 1, batches: 1, journalEntries: null });
    expect(deleted.renderings).toBeGreaterThanOrEqual(205);
    expect(findInDump("ada-lovelace")).toEqual([]);
    for (const line of findInDump(id))
      expect(line).toMatch(/^INSERT INTO snap\.(journal|balances|reservations) /);
    expect(keysWith(id)).toEqual([]);
    expect(await render(0, token, "ada-lovelace/0")).toBe(401);

    await cluster.engine.accounts.delete(id, { purge: true });
    expect(findInDump(id)).toEqual([]);
    expect(await render(0, other.token, "grace-hopper")).toBe(200);
    expect(keysWith(other.id)).not.toEqual([]);
  });
});
