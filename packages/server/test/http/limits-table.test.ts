import { SnapError } from "@snap/engine";
import { describe, expect, it } from "vitest";
import { openService, type CustomerOptions, type TestService } from "./open-service.ts";

/*
 * Which responses count against which rate limit, and which cost credits, according to
 * docs/reference/specification.md.
 */

const url = "https://example.com/";
const LIMIT = 20;

interface Row {
  readonly name: string;
  readonly status: number;
  /** How much the request counts against each rate limit, and the credits that it costs. */
  readonly uses: { readonly renders: number; readonly cached: number; readonly credits: number };
  readonly options?: CustomerOptions;
  readonly query?: Record<string, string>;
  readonly method?: string;
  /** Rendered and cached beforehand, in an earlier minute. */
  readonly warm?: boolean;
  /** Sends the cached rendering's entity tag in `If-None-Match`. */
  readonly revalidates?: boolean;
  readonly failure?: SnapError;
}

const unused = { renders: 0, cached: 0, credits: 0 };
const render = { renders: 1, cached: 0, credits: 1 };
const unchargedRender = { renders: 1, cached: 0, credits: 0 };
const cached = { renders: 0, cached: 1, credits: 0 };

const ROWS: readonly Row[] = [
  { name: "200 MISS", status: 200, uses: render },
  { name: "200 cache=0", status: 200, uses: render, query: { cache: "0" }, warm: true },
  { name: "200 HIT", status: 200, uses: cached, warm: true },
  { name: "304 from the cache", status: 304, uses: unused, warm: true, revalidates: true },
  { name: "304 rendered", status: 304, uses: render, query: { cache: "0" }, warm: true, revalidates: true },
  { name: "HEAD MISS", status: 200, uses: render, method: "HEAD" },
  { name: "HEAD HIT", status: 200, uses: cached, method: "HEAD", warm: true },
  { name: "402 no plan", status: 402, uses: unchargedRender, options: { planSlug: null } },
  { name: "402 no credits", status: 402, uses: unchargedRender, options: { credits: 0 } },
  { name: "403 unverified", status: 403, uses: unused, options: { verified: false } },
  { name: "403 ability", status: 403, uses: unused, options: { abilities: ["pdf"] } },
  { name: "422 validation", status: 422, uses: unused, query: { scale: "9" } },
  { name: "422 url", status: 422, uses: unused, query: { url: "ftp://example.com/" } },
  { name: "422 blocked", status: 422, uses: unused, query: { url: "http://10.0.0.1/" } },
  {
    name: "422 unreachable",
    status: 422,
    uses: unchargedRender,
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
    uses: unchargedRender,
    failure: new SnapError(code, "failed"),
  })),
];

describe("rate limits and credits used by a request", () => {
  it.each(ROWS)("$name", async (row) => {
    const service = await openService();
    const { id, token } = await service.customer({ requestsPerMinute: LIMIT, ...row.options });
    const conditions: Record<string, string> = {};
    if (row.warm) {
      const { headers } = await service.snap({ url }, { token });
      if (row.revalidates) conditions["If-None-Match"] = String(headers.etag);
      service.clock.advance(60_000);
    }
    const before = await creditsUsed(service, id);
    if (row.failure) service.renderer.failNext(row.failure);
    const { method = "GET" } = row;
    const reply = await service.snap({ url, ...row.query }, { token, method, headers: conditions });
    expect(reply.status).toBe(row.status);
    expect((await creditsUsed(service, id)) - before).toBe(row.uses.credits);
    expect(await countUses(service, id)).toEqual({ renders: row.uses.renders, cached: row.uses.cached });
  });

  it("`GET /usage` counts against a separate limit of 60 a minute, and costs no credit", async () => {
    const service = await openService();
    const { id, token } = await service.customer();
    const replies = await Promise.all(Array.from({ length: 70 }, () => service.send("/v1/usage", { token })));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(10);
    expect(await creditsUsed(service, id)).toBe(0);
    expect(await countUses(service, id)).toEqual({ renders: 0, cached: 0 });
    service.clock.advance(60_000);
    expect((await service.send("/v1/usage", { token })).status).toBe(200);
  });

  it("an account on the starter plan is limited to 20 renders and 300 cached responses a minute", async () => {
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

/** Returns the requests counted against each limit in the current window. Each call counts one more against both. */
async function countUses(
  { storage, clock }: TestService,
  accountId: string,
): Promise<{ renders: number; cached: number }> {
  const count = async (name: "render" | "cached"): Promise<number> => {
    const limit = 1000;
    const request = { accountId, name, limit, windowMs: 60_000, now: clock.now() };
    return limit - (await storage.rateLimiter.consume(request)).remaining - 1;
  };
  return { renders: await count("render"), cached: await count("cached") };
}
