import type { RenderBatch } from "@snap/protocol";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startCluster, type Cluster } from "./cluster.ts";

interface Customer {
  readonly id: string;
  readonly token: string;
}

interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly code: string | null;
}

describe("three api and two worker processes", { tags: ["postgres", "redis"] }, () => {
  let cluster: Cluster;
  let customers = 0;
  let pages = 0;
  beforeAll(async () => {
    cluster = await startCluster({ apis: 3, workers: 2 });
  });
  afterAll(() => cluster.close());

  const customer = async (change: { credits?: number; perMinute?: number } = {}): Promise<Customer> => {
    const { id } = await cluster.engine.accounts.create({
      email: `customer-${(customers += 1)}@example.com`,
      planSlug: "starter",
      verified: true,
      creditsPerPeriod: change.credits ?? 1000,
      requestsPerMinute: change.perMinute ?? 100_000,
    });
    const { token } = await cluster.engine.tokens.create({ accountId: id });
    return { id, token };
  };
  /** Each request goes to the next of the api processes, as behind a load balancer. */
  let turn = 0;
  const ask = async ({ token }: Customer, path: string, init: RequestInit = {}): Promise<Response> => {
    const { origin } = cluster.apis[(turn += 1) % cluster.apis.length] ?? { origin: "" };
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    return fetch(`${origin}/v1${path}`, { ...init, headers });
  };
  const newPage = (): string => encodeURIComponent(`https://example.com/${(pages += 1)}`);
  const capture = async (asker: Customer, page = newPage()): Promise<Told> => {
    const response = await ask(asker, `/snap?url=${page}`);
    const body = await response.text();
    const code = response.ok ? null : (JSON.parse(body) as { code: string }).code;
    return { status: response.status, headers: response.headers, code };
  };
  const submit = async (asker: Customer, items: number, webhookUrl?: string): Promise<string> => {
    const body = JSON.stringify({
      items: Array.from({ length: items }, () => ({ url: decodeURIComponent(newPage()) })),
      ...(webhookUrl && { webhookUrl }),
    });
    const response = await ask(asker, "/renders", { method: "POST", body });
    expect(response.status).toBe(202);
    return ((await response.json()) as RenderBatch).id;
  };
  const completed = async (asker: Customer, id: string): Promise<RenderBatch> => {
    for (;;) {
      const response = await ask(asker, `/renders/${id}`);
      if (response.ok) {
        const batch = (await response.json()) as RenderBatch;
        if (batch.status === "complete" && batch.webhook?.delivered_at !== null) return batch;
      }
      await wait(100);
    }
  };
  const count = <T>(all: readonly T[], isWanted: (one: T) => boolean): number => all.filter(isWanted).length;

  it("answer one of 50 requests at once where there is one credit", async () => {
    const asker = await customer({ credits: 1 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => capture(asker)));
    expect(count(answers, ({ status }) => status === 200)).toBe(1);
    expect(count(answers, ({ code }) => code === "credit_limit_reached")).toBe(49);
  });

  it("render identical requests once, wherever they meet", async () => {
    const asker = await customer();
    const page = newPage();
    const answers = await Promise.all(Array.from({ length: 50 }, () => capture(asker, page)));
    expect(count(answers, ({ headers }) => headers.get("x-cache") === "MISS")).toBe(1);
    expect(count(answers, ({ headers }) => headers.get("x-cache") === "HIT")).toBe(49);
    expect(new Set(answers.map(({ headers }) => headers.get("etag"))).size).toBe(1);
    const lines = await cluster.storage.ledger.journal({ accountId: asker.id, limit: 100 });
    expect(count(lines, ({ kind }) => kind === "settle")).toBe(1);
  });

  it("let 20 of 100 requests at once pass a limit of 20", async () => {
    const asker = await customer({ perMinute: 20 });
    const answers = await Promise.all(Array.from({ length: 100 }, () => capture(asker)));
    expect(count(answers, ({ status }) => status === 200)).toBe(20);
    expect(count(answers, ({ code }) => code === "rate_limited")).toBe(80);
  });

  it("answer from the cache what another has rendered, and what it has revoked not at all", async () => {
    const asker = await customer();
    const page = newPage();
    const [first, ...others] = [
      await capture(asker, page),
      await capture(asker, page),
      await capture(asker, page),
    ];
    expect(first?.headers.get("x-cache")).toBe("MISS");
    for (const other of others) {
      expect(other.headers.get("x-cache")).toBe("HIT");
      expect(other.headers.get("etag")).toBe(first?.headers.get("etag"));
    }
    await cluster.engine.tokens.revoke(tokenIdOf(asker));
    for (const asked of [page, page, page, newPage(), newPage(), newPage()]) {
      const { code, headers } = await capture(asker, asked);
      expect(code).toBe("unauthenticated");
      expect(headers.has("x-credits-remaining")).toBe(false);
    }
    expect((await ask(asker, "/snap?url=nowhere")).status).toBe(401);
  });

  it("go by a limit and credits that were changed since they saw the token", async () => {
    const asker = await customer({ perMinute: 100_000, credits: 50 });
    for (const _ of cluster.apis) expect((await capture(asker)).status).toBe(200);
    await cluster.engine.accounts.update(asker.id, { requestsPerMinute: 23, creditsPerPeriod: 13 });
    const answers = await Promise.all(Array.from({ length: 100 }, () => capture(asker)));
    // Three of both are spent.
    expect(count(answers, ({ status }) => status === 200)).toBe(10);
    expect(count(answers, ({ code }) => code === "credit_limit_reached")).toBe(10);
    expect(count(answers, ({ code }) => code === "rate_limited")).toBe(80);
    for (const { headers } of answers) expect(headers.get("x-credits-limit")).toBe("13");
    const grants = (await cluster.storage.ledger.journal({ accountId: asker.id, limit: 1000 })).filter(
      ({ kind }) => kind === "grant",
    );
    expect(grants.map(({ credits }) => credits)).toEqual([-37, 50]);
  });

  it("work through a batch that one took, tell another how far it is, and send its webhook once", async () => {
    const receiver = await receive();
    const asker = await customer();
    const id = await submit(asker, 12, receiver.url);
    const batch = await completed(asker, id);
    expect(batch.items.map(({ status, credit_cost }) => [status, credit_cost])).toEqual(
      Array.from({ length: 12 }, () => ["done", 1]),
    );
    expect(receiver.ids).toEqual([id]);
  });

  it(
    "lose nothing when a worker, an api process, Redis and PostgreSQL are killed under load",
    { timeout: 180_000 },
    async () => {
      const receiver = await receive();
      const askers = await Promise.all(Array.from({ length: 4 }, () => customer()));
      const batches: { readonly asker: Customer; readonly id: string }[] = [];
      for (const asker of [...askers, ...askers, ...askers])
        batches.push({ asker, id: await submit(asker, 20, receiver.url) });

      const load = startLoad(askers, capture);
      for (const victim of [
        cluster.workers[0],
        cluster.apis[0],
        { kill: () => cluster.redis.kill(), start: () => cluster.redis.restart() },
        cluster.postgres,
      ]) {
        await load.answered(40);
        await victim?.kill();
        await load.answered(3);
        await victim?.start();
      }
      await load.answered(40);
      const told = await load.stop();
      const documents = await Promise.all(
        batches.map(async ({ asker, id }) => ({ asker, document: await completed(asker, id) })),
      );

      for (const asker of askers) {
        const mine = told.filter((one) => one.asker === asker);
        // Every answer is one of the contract; what has none was sent to a process that was killed.
        const answered = mine.filter(({ status }) => status !== null);
        const kinds = new Set(answered.map(({ status, code }) => `${status} ${code ?? "rendered"}`));
        expect([...kinds].filter((kind) => !CONTRACT.has(kind))).toEqual([]);
        const lost = mine.length - answered.length;
        const rendered = count(mine, ({ cache }) => cache === "MISS");
        const ofBatches = documents
          .filter((one) => one.asker === asker)
          .flatMap(({ document }) => document.items);
        expect(new Set(ofBatches.map(({ status }) => status))).toEqual(new Set(["done"]));
        const batchCost = ofBatches.reduce((sum, item) => sum + (item.credit_cost ?? 0), 0);
        const lines = await cluster.storage.ledger.journal({ accountId: asker.id, limit: 10_000 });
        const reservations = lines.filter(({ kind }) => kind === "reserve");
        await expect
          .poll(() => booksOf(asker), { timeout: 30_000, message: "reservations of the killed lapse" })
          .toEqual({ granted: 1000, reserved: 0, unjournaled: 0 });
        // A request that failed although it was settled is reversed in the background.
        await expect
          .poll(() => chargedTo(asker), { timeout: 60_000, message: "failed requests are reversed" })
          .toBeLessThanOrEqual(rendered + batchCost + lost);
        expect(await chargedTo(asker)).toBeGreaterThanOrEqual(rendered + batchCost);
        const ended = (await cluster.storage.ledger.journal({ accountId: asker.id, limit: 10_000 })).filter(
          ({ kind }) => ["settle", "refund", "lapse"].includes(kind),
        );
        // Each ended, and once.
        expect(ended).toHaveLength(reservations.length);
        expect(new Set(ended.map(({ reservationId }) => reservationId))).toEqual(
          new Set(reservations.map(({ reservationId }) => reservationId)),
        );
      }
      // Killed between the answer of the receiver and its note, a worker leaves a second delivery of the same id.
      expect(new Set(receiver.ids)).toEqual(new Set(batches.map(({ id }) => id)));
    },
  );

  /** What the account was charged, by its journal. */
  async function chargedTo({ id: accountId }: Customer): Promise<number> {
    const lines = await cluster.storage.ledger.journal({ accountId, limit: 10_000 });
    return count(lines, ({ kind }) => kind === "settle") - count(lines, ({ kind }) => kind === "reverse");
  }

  async function booksOf(asker: Customer): Promise<unknown> {
    const { account } = await cluster.engine.authenticate(asker.token);
    await cluster.engine.credits(account);
    const found = await cluster.storage.tokens.find(tokenIdOf(asker));
    expect(found?.account.id).toBe(asker.id);
    const { granted, used = 0, reserved } = found?.balance ?? {};
    return { granted, reserved, unjournaled: used - (await chargedTo(asker)) };
  }
});

function tokenIdOf({ token }: Customer): number {
  return Number(token.split("|")[0]);
}

/** What the contract has for a service whose parts go away. */
const CONTRACT: ReadonlySet<string> = new Set([
  "200 rendered",
  "500 server_error",
  "503 upstream_rate_limited",
]);

interface Load {
  /** Resolves when so many more have been answered, or lost. */
  answered(more: number): Promise<void>;
  stop(): Promise<
    readonly {
      readonly asker: Customer;
      /** `null` when the connection was lost. */
      readonly status: number | null;
      readonly code: string | null;
      readonly cache: string | null;
    }[]
  >;
}

/** Captures of ever new pages, a few at once. */
function startLoad(askers: readonly Customer[], capture: (asker: Customer) => Promise<Told>): Load {
  const told: Awaited<ReturnType<Load["stop"]>>[number][] = [];
  let stopped = false;
  const run = async (asker: Customer): Promise<void> => {
    while (!stopped) {
      try {
        const { status, code, headers } = await capture(asker);
        told.push({ asker, status, code, cache: headers.get("x-cache") });
      } catch {
        told.push({ asker, status: null, code: null, cache: null });
        await wait(50);
      }
    }
  };
  const running = askers.flatMap((asker) => [run(asker), run(asker)]);
  return {
    async answered(more) {
      const enough = told.length + more;
      while (told.length < enough) await wait(20);
    },
    async stop() {
      stopped = true;
      await Promise.all(running);
      return told;
    },
  };
}

/** Takes webhooks, and keeps which batches they were of. */
async function receive(): Promise<{ readonly url: string; readonly ids: string[] }> {
  const ids: string[] = [];
  const idOf = (headers: IncomingHttpHeaders): string => String(headers["x-webhook-id"]);
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      ids.push(idOf(request.headers));
      response.writeHead(204).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ids };
}
