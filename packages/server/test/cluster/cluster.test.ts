import type { RenderBatch } from "@snap/protocol";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import { startCluster, type Cluster } from "./cluster.ts";

interface Customer {
  readonly id: string;
  readonly token: string;
}

interface CaptureResult {
  readonly status: number;
  readonly headers: Headers;
  readonly code: string | null;
}

describe("three api and two worker processes", { tags: ["postgres", "redis"] }, () => {
  let cluster: Cluster;
  let customerCount = 0;
  let pages = 0;
  beforeAll(async () => {
    cluster = await startCluster({ apis: 3, workers: 2 });
  });
  afterAll(() => cluster.close());

  const createCustomer = async (change: { credits?: number; perMinute?: number } = {}): Promise<Customer> => {
    const { id } = await cluster.engine.accounts.create({
      email: `customer-${(customerCount += 1)}@example.com`,
      planSlug: "starter",
      verified: true,
      creditsPerPeriod: change.credits ?? 1000,
      requestsPerMinute: change.perMinute ?? 100_000,
    });
    const { token } = await cluster.engine.tokens.create({ accountId: id });
    return { id, token };
  };
  let requestCount = 0;
  /** Sends each request to the next api process, like a load balancer. */
  const send = async ({ token }: Customer, path: string, init: RequestInit = {}): Promise<Response> => {
    const { origin } = cluster.apis[(requestCount += 1) % cluster.apis.length] ?? { origin: "" };
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    return fetch(`${origin}/v1${path}`, { ...init, headers });
  };
  const newPage = (): string => encodeURIComponent(`https://example.com/${(pages += 1)}`);
  const capture = async (customer: Customer, page = newPage()): Promise<CaptureResult> => {
    const response = await send(customer, `/snap?url=${page}`);
    const body = await response.text();
    const code = response.ok ? null : (JSON.parse(body) as { code: string }).code;
    return { status: response.status, headers: response.headers, code };
  };
  const submit = async (customer: Customer, items: number, webhookUrl?: string): Promise<string> => {
    const body = JSON.stringify({
      items: Array.from({ length: items }, () => ({ url: decodeURIComponent(newPage()) })),
      ...(webhookUrl && { webhookUrl }),
    });
    const response = await send(customer, "/renders", { method: "POST", body });
    expect(response.status).toBe(202);
    return ((await response.json()) as RenderBatch).id;
  };
  const waitForBatch = async (customer: Customer, id: string): Promise<RenderBatch> => {
    for (;;) {
      const response = await send(customer, `/renders/${id}`);
      if (response.ok) {
        const batch = (await response.json()) as RenderBatch;
        if (batch.status === "complete" && batch.webhook?.delivered_at !== null) return batch;
      }
      await wait(100);
    }
  };
  const count = <T>(all: readonly T[], matches: (one: T) => boolean): number => all.filter(matches).length;

  it("render one of 50 concurrent requests with one credit", async () => {
    const customer = await createCustomer({ credits: 1 });
    const responses = await Promise.all(Array.from({ length: 50 }, () => capture(customer)));
    expect(count(responses, ({ status }) => status === 200)).toBe(1);
    expect(count(responses, ({ code }) => code === "credit_limit_reached")).toBe(49);
  });

  it("render identical concurrent requests once, across processes", async () => {
    const customer = await createCustomer();
    const page = newPage();
    const responses = await Promise.all(Array.from({ length: 50 }, () => capture(customer, page)));
    expect(count(responses, ({ headers }) => headers.get("x-cache") === "MISS")).toBe(1);
    expect(count(responses, ({ headers }) => headers.get("x-cache") === "HIT")).toBe(49);
    expect(new Set(responses.map(({ headers }) => headers.get("etag"))).size).toBe(1);
    const lines = await cluster.storage.ledger.journal({ accountId: customer.id, limit: 100 });
    expect(count(lines, ({ kind }) => kind === "settle")).toBe(1);
  });

  it("allow exactly 20 of 100 concurrent requests under a limit of 20", async () => {
    const customer = await createCustomer({ perMinute: 20 });
    const responses = await Promise.all(Array.from({ length: 100 }, () => capture(customer)));
    expect(count(responses, ({ status }) => status === 200)).toBe(20);
    expect(count(responses, ({ code }) => code === "rate_limited")).toBe(80);
  });

  it("share cached renderings and revocations", async () => {
    const customer = await createCustomer();
    const page = newPage();
    const [first, ...others] = [
      await capture(customer, page),
      await capture(customer, page),
      await capture(customer, page),
    ];
    expect(first?.headers.get("x-cache")).toBe("MISS");
    for (const other of others) {
      expect(other.headers.get("x-cache")).toBe("HIT");
      expect(other.headers.get("etag")).toBe(first?.headers.get("etag"));
    }
    await cluster.engine.tokens.revoke(tokenIdOf(customer));
    for (const requestedPage of [page, page, page, newPage(), newPage(), newPage()]) {
      const { code, headers } = await capture(customer, requestedPage);
      expect(code).toBe("unauthenticated");
      expect(headers.has("x-credits-remaining")).toBe(false);
    }
    expect((await send(customer, "/snap?url=nowhere")).status).toBe(401);
  });

  it("apply changed limits and credits to a token they already know", async () => {
    const customer = await createCustomer({ perMinute: 100_000, credits: 50 });
    for (const _ of cluster.apis) expect((await capture(customer)).status).toBe(200);
    await cluster.engine.accounts.update(customer.id, { requestsPerMinute: 23, creditsPerPeriod: 13 });
    const responses = await Promise.all(Array.from({ length: 100 }, () => capture(customer)));
    // Three of each are already used.
    expect(count(responses, ({ status }) => status === 200)).toBe(10);
    expect(count(responses, ({ code }) => code === "credit_limit_reached")).toBe(10);
    expect(count(responses, ({ code }) => code === "rate_limited")).toBe(80);
    for (const { headers } of responses) expect(headers.get("x-credits-limit")).toBe("13");
    const grants = (await cluster.storage.ledger.journal({ accountId: customer.id, limit: 1000 })).filter(
      ({ kind }) => kind === "grant",
    );
    expect(grants.map(({ credits }) => credits)).toEqual([-37, 50]);
  });

  it("process a batch submitted to one, return its state from another, and deliver its webhook once", async () => {
    const receiver = await startReceiver();
    const customer = await createCustomer();
    const id = await submit(customer, 12, receiver.url);
    const batch = await waitForBatch(customer, id);
    expect(batch.items.map(({ status, credit_cost }) => [status, credit_cost])).toEqual(
      Array.from({ length: 12 }, () => ["done", 1]),
    );
    expect(receiver.ids).toEqual([id]);
  });

  it(
    "complete every batch and end every reservation once, even if processes and databases are killed",
    { timeout: 180_000 },
    async () => {
      const receiver = await startReceiver();
      const customers = await Promise.all(Array.from({ length: 4 }, () => createCustomer()));
      const batches: { readonly customer: Customer; readonly id: string }[] = [];
      for (const customer of [...customers, ...customers, ...customers])
        batches.push({ customer, id: await submit(customer, 20, receiver.url) });

      const load = startLoad(customers, capture);
      for (const victim of [
        cluster.workers[0],
        cluster.apis[0],
        { kill: () => cluster.redis.kill(), start: () => cluster.redis.restart() },
        cluster.postgres,
      ]) {
        await load.whenCompleted(40);
        await victim?.kill();
        await load.whenCompleted(3);
        await victim?.start();
      }
      await load.whenCompleted(40);
      const results = await load.stop();
      const documents = await Promise.all(
        batches.map(async ({ customer, id }) => ({ customer, document: await waitForBatch(customer, id) })),
      );

      for (const customer of customers) {
        const own = results.filter((one) => one.customer === customer);
        // Every response is an expected one; requests without a response went to a killed process.
        const responded = own.filter(({ status }) => status !== null);
        const outcomes = new Set(responded.map(({ status, code }) => `${status} ${code ?? "rendered"}`));
        expect([...outcomes].filter((outcome) => !EXPECTED_OUTCOMES.has(outcome))).toEqual([]);
        const lost = own.length - responded.length;
        const rendered = count(own, ({ cache }) => cache === "MISS");
        const batchItems = documents
          .filter((one) => one.customer === customer)
          .flatMap(({ document }) => document.items);
        expect(new Set(batchItems.map(({ status }) => status))).toEqual(new Set(["done"]));
        const batchCost = batchItems.reduce((sum, item) => sum + (item.credit_cost ?? 0), 0);
        const lines = await cluster.storage.ledger.journal({ accountId: customer.id, limit: 10_000 });
        const reservations = lines.filter(({ kind }) => kind === "reserve");
        await expect
          .poll(() => readBalance(customer), {
            timeout: 30_000,
            message: "reservations of killed processes lapse",
          })
          .toEqual({ granted: 1000, reserved: 0, unjournaled: 0 });
        // The charge of a request that failed after it was settled is reversed in the background.
        await expect
          .poll(() => chargedTo(customer), { timeout: 60_000, message: "failed requests are reversed" })
          .toBeLessThanOrEqual(rendered + batchCost + lost);
        expect(await chargedTo(customer)).toBeGreaterThanOrEqual(rendered + batchCost);
        const ended = (
          await cluster.storage.ledger.journal({ accountId: customer.id, limit: 10_000 })
        ).filter(({ kind }) => ["settle", "refund", "lapse"].includes(kind));
        // Each reservation ended exactly once.
        expect(ended).toHaveLength(reservations.length);
        expect(new Set(ended.map(({ reservationId }) => reservationId))).toEqual(
          new Set(reservations.map(({ reservationId }) => reservationId)),
        );
      }
      // A worker killed before it records the acknowledgement causes a second delivery of the same id.
      expect(new Set(receiver.ids)).toEqual(new Set(batches.map(({ id }) => id)));
    },
  );

  /** Credits charged to the account, according to its journal. */
  async function chargedTo({ id: accountId }: Customer): Promise<number> {
    const lines = await cluster.storage.ledger.journal({ accountId, limit: 10_000 });
    return count(lines, ({ kind }) => kind === "settle") - count(lines, ({ kind }) => kind === "reverse");
  }

  async function readBalance(customer: Customer): Promise<unknown> {
    const { account } = await cluster.engine.authenticate(customer.token);
    await cluster.engine.credits(account);
    const found = await cluster.storage.tokens.find(tokenIdOf(customer));
    expect(found?.account.id).toBe(customer.id);
    const { granted, used = 0, reserved } = found?.balance ?? {};
    return { granted, reserved, unjournaled: used - (await chargedTo(customer)) };
  }
});

function tokenIdOf({ token }: Customer): number {
  return Number(token.split("|")[0]);
}

/** The outcomes that a caller may get while parts of the service fail. */
const EXPECTED_OUTCOMES: ReadonlySet<string> = new Set([
  "200 rendered",
  "500 server_error",
  "503 upstream_rate_limited",
]);

interface Load {
  /** Resolves after `more` further requests have ended or been lost. */
  whenCompleted(more: number): Promise<void>;
  stop(): Promise<
    readonly {
      readonly customer: Customer;
      /** `null` when the connection was lost. */
      readonly status: number | null;
      readonly code: string | null;
      readonly cache: string | null;
    }[]
  >;
}

/** Captures new pages continuously, a few at the same time. */
function startLoad(
  customers: readonly Customer[],
  capture: (customer: Customer) => Promise<CaptureResult>,
): Load {
  const results: Awaited<ReturnType<Load["stop"]>>[number][] = [];
  let stopped = false;
  const run = async (customer: Customer): Promise<void> => {
    while (!stopped) {
      try {
        const { status, code, headers } = await capture(customer);
        results.push({ customer, status, code, cache: headers.get("x-cache") });
      } catch {
        results.push({ customer, status: null, code: null, cache: null });
        await wait(50);
      }
    }
  };
  const running = customers.flatMap((customer) => [run(customer), run(customer)]);
  return {
    async whenCompleted(more) {
      const targetCount = results.length + more;
      while (results.length < targetCount) await wait(20);
    },
    async stop() {
      stopped = true;
      await Promise.all(running);
      return results;
    },
  };
}

/** Receives webhooks, and records their batch ids. */
async function startReceiver(): Promise<{ readonly url: string; readonly ids: string[] }> {
  const ids: string[] = [];
  const idOf = (headers: IncomingHttpHeaders): string => String(headers["x-webhook-id"]);
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      ids.push(idOf(request.headers));
      response.writeHead(204).end();
    });
  });
  return { url: `http://127.0.0.1:${await listen(server)}/`, ids };
}
