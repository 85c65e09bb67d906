import { signQuery } from "@snap/protocol";
import type { FakeClock } from "@snap/testing";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Capture } from "../../src/capture.ts";
import { SnapError } from "../../src/errors.ts";
import type { AccountChange } from "../../src/ports/accounts.ts";
import type { Storage } from "../../src/ports/storage.ts";
import { microtasks } from "../batches/open-engine.ts";
import { shareStorage, type Process } from "./processes.ts";

let clock: FakeClock;
let storage: Storage;
let finished: <T>(work: Promise<T>) => Promise<T>;
let one: Process;
let two: Process;

beforeEach(() => {
  const processes = shareStorage();
  ({ clock, storage, finished } = processes);
  one = processes.open();
  two = processes.open();
});

describe("a token that a process remembers", () => {
  interface Holder {
    readonly token: string;
    readonly tokenId: number;
    readonly accountId: string;
  }

  /** A customer whom both processes know. */
  async function known(change: { credits?: number; perMinute?: number } = {}): Promise<Holder> {
    const { engine } = one;
    const { id: accountId } = await engine.accounts.create({
      email: "ada@example.com",
      planSlug: "starter",
      creditsPerPeriod: change.credits ?? 10,
      requestsPerMinute: change.perMinute ?? 1000,
      verified: true,
    });
    const { token, record } = await engine.tokens.create({ accountId });
    for (const process of [one, two]) await process.engine.authenticate(token);
    return { token, tokenId: record.id, accountId };
  }

  let pages = 0;
  const newPage = (): { url: string } => ({ url: `https://example.com/${(pages += 1)}` });
  const ask = async ({ engine }: Process, token: string, asked: object = newPage()): Promise<Capture> =>
    finished(engine.capture({ principal: await engine.recognize(token), parameters: { ...asked } }));

  /** What a storage was asked for during `work`, by name. */
  async function calls(work: () => Promise<unknown>): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const port of ["tokens", "ledger", "renderings", "budgets", "flights"] as const) {
      const methods = storage[port] as unknown as Record<string, (...values: unknown[]) => unknown>;
      for (const [name, method] of Object.entries(methods)) {
        const counted = `${port}.${name}`;
        methods[name] = (...values) => {
          counts[counted] = (counts[counted] ?? 0) + 1;
          return method(...values);
        };
        onTestFinished(() => void (methods[name] = method));
      }
    }
    await work();
    return counts;
  }

  it("renders in two trips to the ledger, and one before and one behind it to what is shared", async () => {
    const { token } = await known();
    expect(await calls(() => ask(one, token))).toEqual({
      // The one trip: sent together.
      "renderings.get": 1,
      "flights.board": 1,
      "ledger.reserveRemembered": 1,
      // The other: it keeps the rendering, too.
      "flights.land": 1,
      "ledger.settle": 1,
    });
  });

  it("is looked up once for a hit", async () => {
    const { token } = await known();
    const page = newPage();
    await ask(one, token, page);
    expect(await calls(() => ask(one, token, page))).toEqual({
      "renderings.peek": 1,
      "tokens.find": 1,
      "budgets.spend": 1,
    });
    expect(await calls(() => ask(two, token, page))).toEqual({
      // Sent together.
      "renderings.get": 1,
      "flights.board": 1,
      "tokens.find": 1,
      "budgets.spend": 1,
    });
  });

  it("is told the balance that was read for its hit", async () => {
    const { token } = await known();
    const page = newPage();
    await ask(two, token, page);
    expect((await ask(one, token, page)).balance).toMatchObject({ granted: 10, used: 1, reserved: 0 });
  });

  it("is refused as soon as another process has revoked it, for hits, renders and mistakes", async () => {
    const { token, tokenId } = await known();
    const page = newPage();
    await ask(one, token, page);
    await two.engine.tokens.revoke(tokenId);
    const rendered = one.renderer.calls.length;
    for (const asked of [page, newPage(), { ...page, cache: false }, { url: "nowhere" }])
      await expect(ask(one, token, asked)).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(one.engine.recognize(token)).rejects.toMatchObject({ code: "unauthenticated" });
    expect(one.renderer.calls).toHaveLength(rendered);
  });

  it("is refused once it is rotated, and the new one is not", async () => {
    const { token, tokenId } = await known();
    const rotated = await two.engine.tokens.rotate(tokenId);
    await expect(ask(one, token)).rejects.toMatchObject({ code: "unauthenticated" });
    expect((await ask(one, rotated.token)).cache).toBe("miss");
    expect((await ask(two, rotated.token)).cache).toBe("miss");
  });

  it("is refused from the instant that it expires", async () => {
    const { engine } = one;
    const { accountId } = await known();
    const { token } = await engine.tokens.create({ accountId, expiresAt: clock.now() + 60_000 });
    await engine.authenticate(token);
    const { signingSecret, record } = await engine.tokens.reveal(Number(token.split("|")[0]));
    const query = new URLSearchParams({ ...newPage(), tokenId: String(record.id) });
    query.set("signature", signQuery(query, signingSecret));
    await engine.authenticateSigned(query);
    clock.advance(60_000);
    await expect(engine.recognize(token)).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(engine.authenticateSigned(query)).rejects.toMatchObject({ code: "invalid_signature" });
  });

  it("signs for nobody any more once it is revoked, whatever the URL", async () => {
    const { tokenId } = await known();
    const { signingSecret } = await one.engine.tokens.reveal(tokenId);
    const sign = (more: object = {}): URLSearchParams => {
      const query = new URLSearchParams({ ...newPage(), tokenId: String(tokenId), ...more });
      query.set("signature", signQuery(query, signingSecret));
      return query;
    };
    const fetchSigned = async (query: URLSearchParams): Promise<Capture> => {
      const asked = await one.engine.authenticateSigned(query);
      return finished(one.engine.capture({ principal: asked.principal, parameters: asked.parameters }));
    };
    const [page, expired] = [sign(), sign({ expires: "1" })];
    expect((await fetchSigned(page)).cache).toBe("miss");
    await expect(fetchSigned(expired)).rejects.toMatchObject({ code: "signed_url_expired" });
    await two.engine.tokens.revoke(tokenId);
    // The first one finds that out, whichever it is.
    await expect(fetchSigned(expired)).rejects.toMatchObject({ code: "invalid_signature" });
    await expect(fetchSigned(page)).rejects.toMatchObject({ code: "invalid_signature" });
  });

  it("signs for nobody any more once it is rotated, for renders and hits", async () => {
    const { tokenId } = await known();
    const { signingSecret } = await one.engine.tokens.reveal(tokenId);
    const query = new URLSearchParams({ ...newPage(), tokenId: String(tokenId) });
    query.set("signature", signQuery(query, signingSecret));
    const { principal, parameters } = await one.engine.authenticateSigned(query);
    await two.engine.tokens.rotate(tokenId);
    await expect(finished(one.engine.capture({ principal, parameters }))).rejects.toMatchObject({
      code: "invalid_signature",
    });
  });

  it.each<[string, AccountChange, string]>([
    ["verified", { emailVerifiedAt: null }, "email_unverified"],
    ["on a plan", { planSlug: null }, "no_active_plan"],
  ])("is refused once its account is no longer %s", async (_, change, code) => {
    const { token, accountId } = await known();
    await storage.accounts.update(accountId, change);
    for (const asked of [newPage(), { ...newPage(), cache: false }])
      await expect(ask(one, token, asked)).rejects.toMatchObject({ code });
  });

  it.each<[string, AccountChange]>([
    ["verified", { emailVerifiedAt: 0 }],
    ["on a plan", { planSlug: "starter" }],
  ])("is let in as soon as its account is %s", async (_, change) => {
    const { token, accountId } = await known();
    const [name] = Object.keys(change);
    await storage.accounts.update(accountId, { [name ?? ""]: null });
    await one.engine.authenticate(token);
    await expect(ask(one, token)).rejects.toThrow(/verified|plan/);
    await storage.accounts.update(accountId, change);
    const { cache, budget } = await ask(one, token);
    expect(cache).toBe("miss");
    // A refusal for its credits has spent, one of its account has not.
    expect(budget).toEqual({ limit: 1000, remaining: name === "planSlug" ? 998 : 999 });
  });

  it("of many at once, as many pass as a limit that was lowered elsewhere allows", async () => {
    const { token, accountId } = await known({ perMinute: 100, credits: 100 });
    await two.engine.accounts.update(accountId, { requestsPerMinute: 20 });
    const asked = Array.from({ length: 30 }, async (_, index) =>
      ask(index % 2 === 0 ? one : two, token).then(
        ({ budget }) => budget,
        (error: unknown) => (error as SnapError).code,
      ),
    );
    const outcomes = await Promise.all(asked);
    expect(outcomes.filter((outcome) => outcome === "rate_limited")).toHaveLength(10);
    const budgets = outcomes.filter((outcome) => typeof outcome === "object");
    expect(budgets).toContainEqual({ limit: 20, remaining: 0 });
    expect(budgets).toHaveLength(20);
  });

  it("is refused for its credits, and judged but once, where limit and credits have both changed", async () => {
    const { token, accountId } = await known({ perMinute: 100, credits: 100 });
    await ask(one, token);
    await two.engine.accounts.update(accountId, { requestsPerMinute: 2, creditsPerPeriod: 1 });
    await expect(ask(one, token)).rejects.toMatchObject({ code: "credit_limit_reached" });
    await expect(ask(one, token)).rejects.toMatchObject({ code: "rate_limited" });
  });

  it("spends nothing of the account's once it is revoked, however often it is sent", async () => {
    const { token, tokenId, accountId } = await known({ perMinute: 3 });
    const other = await one.engine.tokens.create({ accountId });
    await two.engine.tokens.revoke(tokenId);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => {
        const asked = index % 2 === 0 ? newPage() : { ...newPage(), cache: false };
        return ask(one, token, asked);
      }),
    );
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
    expect((await ask(one, other.token)).budget).toEqual({ limit: 3, remaining: 2 });
  });

  it("gives back what a limit that was lowered elsewhere refuses", async () => {
    const { token, accountId } = await known({ perMinute: 100, credits: 100 });
    await two.engine.accounts.update(accountId, { requestsPerMinute: 2 });
    await Promise.allSettled(Array.from({ length: 20 }, () => ask(one, token)));
    await two.engine.accounts.update(accountId, { requestsPerMinute: 5 });
    expect((await ask(one, token)).budget).toEqual({ limit: 5, remaining: 2 });
  });

  it("is looked up once for a refusal", async () => {
    const { token } = await known();
    const mistake = calls(() => ask(one, token, { url: "nowhere" }).catch(() => {}));
    expect(await mistake).toEqual({ "tokens.find": 1 });
  });

  it("is refused for a hit, too, of an account that is no longer verified", async () => {
    const { token, accountId } = await known();
    const page = newPage();
    await ask(one, token, page);
    await storage.accounts.update(accountId, { emailVerifiedAt: null });
    await expect(ask(one, token, page)).rejects.toMatchObject({ code: "email_unverified" });
    // Before the mistake in what it asks for.
    await expect(ask(one, token, { url: "nowhere" })).rejects.toMatchObject({ code: "email_unverified" });
  });

  it("is refused where it waited for the render of another that failed", async () => {
    const { token, tokenId, accountId } = await known();
    const other = await one.engine.tokens.create({ accountId });
    const page = newPage();
    one.renderer.failNext(new SnapError("render_timeout", "too slow"));
    const release = one.renderer.hold();
    const first = ask(one, other.token, page);
    await one.renderer.whenCalled(1);
    await two.engine.tokens.revoke(tokenId);
    const second = ask(one, token, page);
    second.catch(() => {});
    await microtasks();
    release();
    await expect(first).rejects.toMatchObject({ code: "render_timeout" });
    await expect(second).rejects.toMatchObject({ code: "unauthenticated" });
    expect(one.renderer.calls).toHaveLength(1);
  });

  it("has the failure of its render answered, whatever became of it meanwhile", async () => {
    const { token, tokenId } = await known();
    one.renderer.failNext(new SnapError("target_unreachable", "nobody there"));
    const release = one.renderer.hold();
    const first = ask(one, token);
    await one.renderer.whenCalled(1);
    await two.engine.tokens.revoke(tokenId);
    release();
    await expect(first).rejects.toMatchObject({ code: "target_unreachable" });
  });

  it("is remembered only for those who prove to hold it", async () => {
    const { accountId } = await known();
    const { token, record } = await one.engine.tokens.create({ accountId });
    const wrong = `${record.id}|${"a".repeat(43)}`;
    await expect(one.engine.authenticate(wrong)).rejects.toMatchObject({ code: "unauthenticated" });
    expect(await calls(() => one.engine.recognize(token))).toEqual({ "tokens.find": 1 });
    expect(await calls(() => one.engine.recognize(token))).toEqual({});
    expect(await calls(() => one.engine.recognize(wrong).catch(() => {}))).toEqual({ "tokens.find": 1 });
  });

  it("passes a limit that was raised elsewhere", async () => {
    const { token, accountId } = await known({ perMinute: 1, credits: 100 });
    await ask(one, token);
    await expect(ask(one, token)).rejects.toMatchObject({ code: "rate_limited" });
    await two.engine.accounts.update(accountId, { requestsPerMinute: 3 });
    expect((await ask(one, token)).budget).toEqual({ limit: 3, remaining: 1 });
    expect((await ask(one, token)).budget).toEqual({ limit: 3, remaining: 0 });
  });

  it("has the credits that its account has now, and no others are ever granted", async () => {
    const { token, accountId } = await known({ credits: 10 });
    await ask(one, token);
    await two.engine.accounts.update(accountId, { creditsPerPeriod: 2 });
    expect((await ask(one, token)).balance).toMatchObject({ granted: 2 });
    await expect(ask(one, token)).rejects.toMatchObject({ code: "credit_limit_reached" });
    const lines = await storage.ledger.journal({ accountId, limit: 100 });
    expect(lines.filter(({ kind }) => kind === "grant").map(({ credits }) => credits)).toEqual([-8, 10]);
  });

  it("is the account's as it is now in what is answered", async () => {
    const { token, accountId } = await known();
    await two.engine.accounts.update(accountId, { creditsPerPeriod: 5 });
    expect((await ask(one, token)).principal.account.creditsPerPeriod).toBe(5);
  });
});
