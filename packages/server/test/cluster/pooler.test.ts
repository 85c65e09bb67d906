import type { RenderBatch } from "@snap/protocol";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import { startPgbouncer } from "../../../testing/test/servers/pgbouncer.ts";
import { startPostgres } from "../../../testing/test/servers/postgres.ts";
import { startRedis } from "../../../testing/test/servers/redis.ts";
import { openWorkspace, type MintedToken } from "../cli/command.ts";
import { servePages } from "../cli/pages.ts";

interface Receiver {
  readonly url: string;
  /** Resolves with the body of the first webhook. */
  readonly received: Promise<unknown>;
}

/** Starts a receiver of webhooks for the running test. */
async function receiveWebhooks(): Promise<Receiver> {
  const received = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    json(request).then(received.resolve, received.reject);
    response.writeHead(204).end();
  });
  return { url: `http://127.0.0.1:${await listen(server)}/`, received: received.promise };
}

describe(
  "snap-server through PgBouncer in transaction mode",
  { tags: ["browser", "postgres", "pgbouncer", "redis"] },
  () => {
    it("renders, processes a batch and sends its webhook; its metrics are available while PostgreSQL hangs", async () => {
      const [postgres, redis, pages] = await Promise.all([startPostgres(), startRedis(), servePages()]);
      const pooler = await startPgbouncer(postgres, { pool_mode: "transaction" });
      const workspace = openWorkspace({
        SNAP_DATABASE_URL: pooler.url(),
        SNAP_REDIS_URL: redis.url,
        SNAP_SECRET_KEY: "0123456789abcdef0123456789abcdef",
        SNAP_ALLOW_TARGETS: "127.0.0.0/8",
        SNAP_METRICS: "on",
      });
      onTestFinished(async () => {
        await workspace.cleanUp();
        await pooler.stop();
        await Promise.all([postgres.remove(), redis.stop(), pages.close()]);
      });
      const server = workspace.start(["serve"], { SNAP_PORT: "0" });
      const [, port] = await server.whenPrinted(/"port":(\d+),"msg":"listening"/);
      await server.whenPrinted(
        /"level":"?(?:40|warn)"?.*transaction mode: workers are not notified of new batches/,
      );
      const origin = `http://127.0.0.1:${port}`;
      const { id } = (await workspace.json(
        "accounts create --email ada@example.com --plan starter".split(" "),
      )) as { id: string };
      const { token } = (await workspace.json(["tokens", "create", "--account", id])) as MintedToken;
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };

      // more requests than connections to PostgreSQL, so the pooler runs the statements of
      // one client connection on several of them
      const statuses = await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const url = encodeURIComponent(`${pages.url}${index % 4}`);
          return (await fetch(`${origin}/v1/snap?url=${url}`, { headers })).status;
        }),
      );
      expect(statuses).toEqual(Array.from({ length: 12 }, () => 200));

      const { url: webhookUrl, received } = await receiveWebhooks();
      const items = [1, 2, 3].map((index) => ({ url: `${pages.url}batch/${index}` }));
      const body = JSON.stringify({ items, webhookUrl });
      const submitted = await fetch(`${origin}/v1/renders`, { method: "POST", headers, body });
      expect(submitted.status).toBe(202);
      const batch = (await received) as RenderBatch;
      expect([batch.status, ...batch.items.map(({ status }) => status)]).toEqual([
        "complete",
        "done",
        "done",
        "done",
      ]);

      const doctor = await workspace.run(["doctor"]);
      expect(doctor.stdout).toMatch(
        /^warning +pooler: PostgreSQL is behind a connection pooler in transaction/m,
      );
      expect(doctor.code).toBe(0);

      const scrape = async (): Promise<string> => (await fetch(`${origin}/metrics`)).text();
      expect(await scrape()).toContain("snap_batch_oldest_unfinished_seconds 0");
      postgres.hang();
      const metrics = await scrape();
      expect(metrics).toContain("snap_renders_running 0");
      expect(metrics).toContain("snap_cache_bytes ");
      expect(metrics).not.toMatch(/^snap_batch_oldest_unfinished_seconds/m);
    });
  },
);
