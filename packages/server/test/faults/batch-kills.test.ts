// @module-tag browser
import { createEngine } from "@snap/engine";
import type { RenderBatch } from "@snap/protocol";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeRenderer } from "@snap/testing";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { listen } from "../../../testing/test/servers/listen.ts";
import { createTemporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { createHmac, randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const SERVER_SCRIPT = fileURLToPath(new URL("batch-server.ts", import.meta.url));
const KILLS = 10;
const SECRET_KEY = "a key for this test";

async function startServer(directory: string, port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [SERVER_SCRIPT, directory, String(port), "127.0.0.1"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function createCustomer(
  directory: string,
): Promise<{ token: string; signingSecret: string; accountId: string }> {
  const engine = createEngine({
    storage: await openSqliteStorage({ directory }),
    renderer: createFakeRenderer(),
    secretKey: SECRET_KEY,
  });
  const account = await engine.accounts.create({
    email: "ada@example.com",
    planSlug: "starter",
    requestsPerMinute: 1000,
    verified: true,
  });
  const { token, signingSecret } = await engine.tokens.create({ accountId: account.id });
  await engine.close();
  return { token, signingSecret, accountId: account.id };
}

describe("kill -9 of the server during batches", () => {
  it(
    `at ${KILLS} random moments: every item ends once, the credits stay consistent, and each webhook is delivered`,
    { timeout: 300_000 },
    async () => {
      const directory = await createTemporaryDirectory();
      const { token, signingSecret, accountId } = await createCustomer(directory);
      const serve = (handler: RequestListener): Promise<number> => listen(createServer(handler));
      const site = await serve((request, response) => {
        response.setHeader("Content-Type", "text/html");
        response.end(`<h1>${request.url}</h1>`);
      });
      const deliveries: Delivery[] = [];
      const receiver = await serve((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
          deliveries.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
          response.writeHead(204).end();
        });
      });
      const port = await findFreePort();
      let child = await startServer(directory, port);
      const send = async (path: string, init: RequestInit = {}): Promise<unknown> => {
        const headers = new Headers(init.headers);
        headers.set("Authorization", `Bearer ${token}`);
        headers.set("Content-Type", "application/json");
        const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, { ...init, headers });
        expect(response.ok, `${path}: ${response.status}`).toBe(true);
        return response.json();
      };
      const submit = async (name: string, length = 20): Promise<string> => {
        const items = Array.from({ length }, (_, index) => ({
          url: `http://127.0.0.1:${site}/${name}/${index}`,
          waitUntil: "load",
          delay: 200,
        }));
        const body = JSON.stringify({ items, webhookUrl: `http://127.0.0.1:${receiver}/${name}` });
        const headers = { "Idempotency-Key": name };
        return ((await send("/renders", { method: "POST", headers, body })) as RenderBatch).id;
      };

      const ids = [await submit("first"), await submit("second")];
      const lost = submit("third", 1).catch(() => null);
      await kill(child);
      child = await startServer(directory, port);
      ids.push(await submit("third", 1));
      expect([null, ids[2]]).toContain(await lost);
      for (let kills = 0; kills < KILLS; kills += 1) {
        await wait(randomInt(50, 900));
        await kill(child);
        child = await startServer(directory, port);
      }
      const poll = async (id: string): Promise<RenderBatch> => {
        for (;;) {
          const batch = (await send(`/renders/${id}`)) as RenderBatch;
          if (batch.status === "complete" && batch.webhook?.delivered_at !== null) return batch;
          await wait(250);
        }
      };
      const batches: RenderBatch[] = [];
      for (const id of ids) batches.push(await poll(id));
      const { entries } = (await send("/renders")) as { readonly entries: readonly RenderBatch[] };
      expect(entries.map(({ id }) => id)).toEqual(ids.toReversed());

      const items = batches.flatMap((batch) => batch.items);
      expect(items).toHaveLength(41);
      for (const { status, error, credit_cost } of items) {
        // An item fails after three interrupted starts; all others are done.
        expect([status, error?.code ?? null]).toEqual(
          status === "done" ? ["done", null] : ["failed", "render_failed"],
        );
        expect(credit_cost).toBeTypeOf("number");
      }
      const cost = items.reduce((sum, item) => sum + (item.credit_cost ?? 0), 0);
      await kill(child);
      const storage = await openSqliteStorage({ directory });
      onTestFinished(() => storage.close());
      const journal = await storage.ledger.journal({ accountId, limit: 10_000 });
      expect(journal.filter(({ kind }) => kind === "settle")).toHaveLength(cost);
      const settled = journal.flatMap(({ kind, reservationId }) =>
        kind === "settle" ? [reservationId] : [],
      );
      expect(new Set(settled).size).toBe(settled.length);

      for (const { id, items: ended } of batches) {
        const batchDeliveries = deliveries.filter(({ headers }) => headers["x-webhook-id"] === id);
        expect(batchDeliveries.length).toBeGreaterThanOrEqual(1);
        for (const { headers, body } of batchDeliveries) {
          const signed = `snap-webhook-v1\n${String(headers["x-webhook-timestamp"])}\n${body}`;
          const signature = createHmac("sha256", signingSecret).update(signed).digest("hex");
          expect(headers["x-webhook-signature"]).toBe(signature);
          const document = JSON.parse(body) as RenderBatch;
          expect(document.status).toBe("complete");
          expect(document.items.map(({ id: item, status }) => [item, status])).toEqual(
            ended.map(({ id: item, status }) => [item, status]),
          );
        }
      }
    },
  );
});
