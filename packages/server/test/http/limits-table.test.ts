import { SnapError } from "@snap/engine";
import { describe, expect, it } from "vitest";
import { openService, type CustomerOptions, type TestService } from "./open-service.ts";

/*
 * interface.md, Limits: which answers spend which budget, and credits. Each row brings an account to
 * the edge of both budgets, asks once, and reads from later answers what was left.
 */

const url = "https://example.com/";
const LIMIT = 20;

interface Row {
  readonly name: string;
  readonly status: number;
  /** Renders, cached answers and credits spent by the one request. */
  readonly spends: { readonly renders: number; readonly cached: number; readonly credits: number };
  readonly options?: CustomerOptions;
  readonly query?: Record<string, string>;
  readonly method?: string;
  /** Asked for before, in a minute of its own. */
  readonly warm?: boolean;
  /** Sends the entity tag of the picture. */
  readonly held?: boolean;
  readonly fails?: SnapError;
}

const nothing = { renders: 0, cached: 0, credits: 0 };
const render = { renders: 1, cached: 0, credits: 1 };
const refusedRender = { renders: 1, cached: 0, credits: 0 };
const cached = { renders: 0, cached: 1, credits: 0 };

const ROWS: readonly Row[] = [
  { name: "200 MISS", status: 200, spends: render },
  { name: "200 cache=0", status: 200, spends: render, query: { cache: "0" }, warm: true },
  { name: "200 HIT", status: 200, spends: cached, warm: true },
  { name: "304 from the cache", status: 304, spends: nothing, warm: true, held: true },
  { name: "304 rendered", status: 304, spends: render, query: { cache: "0" }, warm: true, held: true },
  { name: "HEAD MISS", status: 200, spends: render, method: "HEAD" },
  { name: "HEAD HIT", status: 200, spends: cached, method: "HEAD", warm: true },
  { name: "402 no plan", status: 402, spends: refusedRender, options: { planSlug: null } },
  { name: "402 no credits", status: 402, spends: refusedRender, options: { credits: 0 } },
  { name: "403 unverified", status: 403, spends: nothing, options: { verified: false } },
  { name: "403 ability", status: 403, spends: nothing, options: { abilities: ["pdf"] } },
  { name: "422 validation", status: 422, spends: nothing, query: { scale: "9" } },
  { name: "422 url", status: 422, spends: nothing, query: { url: "ftp://example.com/" } },
  { name: "422 blocked", status: 422, spends: nothing, query: { url: "http://10.0.0.1/" } },
  {
    name: "422 unreachable",
    status: 422,
    spends: refusedRender,
    query: { url: "http://unknown.example.com/" },
  },
  ...(
    [
      ["render_failed", 500],
      ["server_error", 500],
      ["upstream_error", 502],
      ["upstream_quota_exceeded", 502],
      ["upstream_rate_limited", 503],
      ["render_timeout", 504],
    ] as const
  ).map(([code, status]) => ({
    name: `${status} ${code}`,
    status,
    spends: refusedRender,
    fails: new SnapError(code, "failed"),
  })),
];

describe("what a request spends", () => {
  it.each(ROWS)("$name", async (row) => {
    const service = await openService();
    const { id, token } = await service.customer({ requestsPerMinute: LIMIT, ...row.options });
    const held: Record<string, string> = {};
    if (row.warm) {
      const { headers } = await service.snap({ url }, { token });
      if (row.held) held["If-None-Match"] = String(headers.etag);
      service.clock.advance(60_000);
    }
    const before = await creditsUsed(service, id);
    if (row.fails) service.renderer.failNext(row.fails);
    const { method = "GET" } = row;
    const reply = await service.snap({ url, ...row.query }, { token, method, headers: held });
    expect(reply.status).toBe(row.status);
    expect((await creditsUsed(service, id)) - before).toBe(row.spends.credits);
    expect(await spent(service, id)).toEqual({ renders: row.spends.renders, cached: row.spends.cached });
  });

  it("usage: neither budget, no credit, sixty a minute", async () => {
    const service = await openService();
    const { id, token } = await service.customer();
    const replies = await Promise.all(Array.from({ length: 70 }, () => service.ask("/v1/usage", { token })));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(10);
    expect(await creditsUsed(service, id)).toBe(0);
    expect(await spent(service, id)).toEqual({ renders: 0, cached: 0 });
    service.clock.advance(60_000);
    expect((await service.ask("/v1/usage", { token })).status).toBe(200);
  });

  it("the default render limit is 20 a minute, cached answers 300", async () => {
    const service = await openService();
    const account = await service.engine.accounts.create({
      email: "ada@example.com",
      planSlug: "starter",
      verified: true,
    });
    const { token } = await service.engine.tokens.create({ accountId: account.id });
    const miss = await service.snap({ url }, { token });
    expect(miss.headers["x-ratelimit-limit"]).toBe("20");
    const hit = await service.snap({ url }, { token });
    expect(hit.headers["x-ratelimit-limit"]).toBe("300");
  });
});

async function creditsUsed({ engine }: TestService, id: string): Promise<number> {
  return (await engine.credits(await engine.accounts.get(id))).used;
}

/** Requests counted against each limit in this minute; consumes one more of each to find out. */
async function spent(
  { storage, clock }: TestService,
  accountId: string,
): Promise<{ renders: number; cached: number }> {
  const count = async (name: "render" | "cached"): Promise<number> => {
    const limit = 1000;
    const asked = { accountId, name, limit, windowMs: 60_000, now: clock.now() };
    return limit - (await storage.rateLimiter.consume(asked)).remaining - 1;
  };
  return { renders: await count("render"), cached: await count("cached") };
}
