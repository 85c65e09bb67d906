import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import type { RenderBatch } from "@snap/protocol";
import { startPostgres } from "../../../testing/test/servers/postgres.ts";
import { startRedis } from "../../../testing/test/servers/redis.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { openWorkspace, until, type MintedToken } from "../cli/command.ts";
import { servePages } from "../cli/pages.ts";

/** Returns a Node option that shifts `Date.now()` in a process, but not its timers. */
function clockOffBy(ms: number): string {
  const program = `const{now}=Date;Date.now=()=>now.call(Date)+(${ms})`;
  return `--import=data:text/javascript,${encodeURIComponent(program)}`;
}

const OPTIONS = { tags: ["browser", "postgres", "redis"], timeout: 180_000 };

describe("snap-server with PostgreSQL and Redis", OPTIONS, () => {
  it("renders in one process, serves the cached rendering from another, and processes batches in a third", async () => {
    const [postgres, redis, pages] = await Promise.all([startPostgres(), startRedis(), servePages()]);
    const workspace = openWorkspace({
      SNAP_DATABASE_URL: postgres.url(),
      SNAP_REDIS_URL: redis.url,
      SNAP_SECRET_KEY: "0123456789abcdef0123456789abcdef",
      SNAP_PUBLIC_URL: "http://snap.example.com",
      SNAP_ALLOW_TARGETS: `${pages.target}, 127.0.0.0/8, ::1, localhost`,
    });
    onTestFinished(async () => {
      await workspace.cleanUp();
      await Promise.all([postgres.remove(), redis.stop(), pages.close()]);
    });
    const account = (await workspace.json(
      "accounts create --email ada@example.com --plan starter".split(" "),
    )) as { id: string };
    const { token } = (await workspace.json(["tokens", "create", "--account", account.id])) as MintedToken;
    const serve = async (role: string): Promise<string> => {
      const serving = workspace.start(["serve"], { SNAP_PORT: "0", SNAP_ROLE: role });
      const [, port] = await serving.whenPrinted(/"port":(\d+),"msg":"listening"/);
      return `http://127.0.0.1:${port}`;
    };
    const [one, other, worker] = await Promise.all([serve("api"), serve("api"), serve("worker")]);
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };

    const query = `/v1/snap?url=${encodeURIComponent(pages.url)}`;
    const first = await fetch(`${one}${query}`, { headers });
    expect([first.status, first.headers.get("x-cache"), first.headers.get("content-type")]).toEqual([
      200,
      "MISS",
      "image/png",
    ]);
    const second = await fetch(`${other}${query}`, { headers });
    expect([second.status, second.headers.get("x-cache")]).toEqual([200, "HIT"]);
    expect(Buffer.from(await second.arrayBuffer())).toEqual(Buffer.from(await first.arrayBuffer()));

    // Although loopback addresses are allowed, pages reach neither the service's own port nor its databases.
    for (const { port } of [one, postgres.url(), redis.url].map((url) => new URL(url)))
      for (const host of ["127.0.0.1", "localhost"]) {
        const url = encodeURIComponent(`http://${host}:${port}/`);
        const refused = await fetch(`${one}/v1/snap?url=${url}`, { headers });
        expect(await refused.json()).toMatchObject({ code: "blocked_host" });
      }

    expect((await fetch(`${worker}/readyz`)).status).toBe(200);
    expect((await fetch(`${worker}${query}`, { headers })).status).toBe(404);
    const body = JSON.stringify({ items: [{ url: `${pages.url}batch`, format: "webp" }] });
    const submitted = await fetch(`${one}/v1/renders`, { method: "POST", headers, body });
    const { id } = (await submitted.json()) as RenderBatch;
    const batch = await until(
      async () => (await (await fetch(`${other}/v1/renders/${id}`, { headers })).json()) as RenderBatch,
      ({ status }) => status === "complete",
    );
    expect(batch.items.map(({ status, credit_cost }) => [status, credit_cost])).toEqual([["done", 1]]);

    // A process with a different key could not decrypt the other processes' secrets.
    const otherKey = { SNAP_SECRET_KEY: "another key, which is as long as a key must be" };
    for (const command of [["serve"], ["accounts", "list"], ["doctor"]]) {
      const refused = await workspace.run(command, otherKey);
      expect(refused.code).not.toBe(0);
      expect(refused.stdout + refused.stderr).toContain(
        "SNAP_SECRET_KEY is not the key that encrypted the stored signing secrets",
      );
    }

    const { code, stdout } = await workspace.run(["doctor"]);
    expect(stdout).toContain("PostgreSQL is writable");
    expect(stdout).toContain("Redis is reachable");
    expect(stdout).toMatch(/^ok +clock: agrees with PostgreSQL and Redis/m);
    expect(stdout).toMatch(/cache: renderings use [\d.]+ KB of at most [\d.]+ GB$/m);
    expect(stdout).toContain("Redis has no memory limit");
    expect(code).toBe(0);
  });

  it("is not ready while its machine's clock is wrong", async () => {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    const workspace = openWorkspace({
      SNAP_DATABASE_URL: postgres.url(),
      SNAP_REDIS_URL: redis.url,
      SNAP_SECRET_KEY: "0123456789abcdef0123456789abcdef",
      NODE_OPTIONS: clockOffBy(-3_600_000),
    });
    onTestFinished(async () => {
      await workspace.cleanUp();
      await Promise.all([postgres.remove(), redis.stop()]);
    });
    const skew = "this machine's clock is 3[56]\\d\\d\\.\\d s behind PostgreSQL's";
    expect((await workspace.start(["database", "upgrade"]).ended).code).toBe(0);
    const doctor = await workspace.start(["doctor"]).ended;
    expect(doctor.stdout).toMatch(new RegExp(`^problem +clock: ${skew}`, "m"));
    expect(doctor.code).toBe(1);
    const server = workspace.start(["serve"], { SNAP_PORT: "0", SNAP_ROLE: "api" });
    const [, port] = await server.whenPrinted(/"port":(\d+),"msg":"listening"/);
    await server.whenPrinted(new RegExp(`"server":"PostgreSQL","skew_ms":-3[56]\\d{5},"msg":"${skew}"`));
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect([response.status, await response.json()]).toEqual([
      503,
      expect.objectContaining({ code: "not_ready" }),
    ]);
    await server.whenPrinted(new RegExp(`"reasons":\\["clock: ${skew}"`));
  });

  it("reports which of them is unreachable, without passwords", async () => {
    const postgres = await startPostgres();
    const workspace = openWorkspace({
      SNAP_DATABASE_URL: postgres.url(),
      SNAP_REDIS_URL: `redis://:hunter2@127.0.0.1:${await findFreePort()}`,
      SNAP_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    });
    onTestFinished(async () => {
      await workspace.cleanUp();
      await postgres.remove();
    });
    expect(await workspace.run(["accounts", "list"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "the PostgreSQL database has no tables; set SNAP_DATABASE_URL to the service's database",
      ),
    });
    for (const printed of ["Created the database tables.\n", "The database schema is already up to date.\n"])
      expect((await workspace.run(["database", "upgrade"])).stdout).toBe(printed);
    const withoutRedis = await workspace.run(["doctor", "--json"]);
    expect(withoutRedis.code).toBe(1);
    expect(JSON.parse(withoutRedis.stdout)).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({ name: "storage", status: "ok" }),
        expect.objectContaining({ name: "cache", status: "problem" }),
      ]) as unknown,
    });
    // The operator's commands work without Redis, but not without PostgreSQL.
    expect((await workspace.start(["accounts", "list"]).ended).code).toBe(0);
    const nowhere = { SNAP_DATABASE_URL: `postgres://snap:hunter3@127.0.0.1:${await findFreePort()}/snap` };
    const withoutDatabase = await workspace.run(["accounts", "list"], nowhere);
    expect(withoutDatabase.code).not.toBe(0);
    expect(withoutDatabase.stderr).toContain("SNAP_DATABASE_URL: ");
    expect(withoutDatabase.stderr).toContain("ECONNREFUSED");
    for (const { stdout, stderr } of [withoutRedis, withoutDatabase])
      expect(stdout + stderr).not.toMatch(/hunter[23]/);
  });
});
