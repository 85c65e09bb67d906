import { describe, expect, it } from "vitest";
import { envelopeOf, jsonOf } from "../http/open-service.ts";
import { openAdmin, type AdminTestService } from "./open-admin.ts";

const DATE_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const ID = expect.stringMatching(/^acct_[0-9a-f]{20}$/) as string;

interface Account {
  readonly id: string;
  readonly email: string;
}

async function create({ read }: AdminTestService, account: object): Promise<Account> {
  return (await read("/accounts", { method: "POST", json: account })) as Account;
}

describe("accounts", () => {
  it("are created with 201", async () => {
    const { admin } = await openAdmin();
    const reply = await admin("/accounts", {
      method: "POST",
      json: { email: "ada@example.com", plan: "starter", credits_per_period: 7 },
    });
    expect(reply.status).toBe(201);
    expect(reply.headers).toMatchObject({
      "cache-control": "no-store",
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
    expect(jsonOf(reply)).toEqual({
      id: ID,
      email: "ada@example.com",
      verified_at: DATE_TIME,
      plan: "starter",
      credits_per_period: 7,
      requests_per_minute: null,
      created_at: DATE_TIME,
      suspended_at: null,
      deletion_started_at: null,
    });
  });

  it.each(["r&d@example.com", "o'hara+snap@mail-1.example.com", "{a|b}.c@e.example", "ada@example.xn--p1ai"])(
    "are created, found and renamed with the email address %s",
    async (email) => {
      const service = await openAdmin();
      const { id } = await create(service, { email });
      const found = await service.read(`/accounts?email=${encodeURIComponent(email)}`);
      expect(found).toMatchObject({ entries: [{ id, email }] });
      const renamed = { email: email.toUpperCase() };
      expect(await service.read(`/accounts/${id}`, { method: "PATCH", json: renamed })).toMatchObject(
        renamed,
      );
    },
  );

  it("have credits, limits and tokens", async () => {
    const service = await openAdmin();
    const { id } = await create(service, { email: "ada@example.com", plan: "growth", verified: false });
    await service.engine.tokens.create({ accountId: id, name: "the shop" });
    expect(await service.read(`/accounts/${id}`)).toEqual({
      id,
      email: "ada@example.com",
      verified_at: null,
      plan: "growth",
      credits_per_period: null,
      requests_per_minute: null,
      created_at: DATE_TIME,
      suspended_at: null,
      deletion_started_at: null,
      usage: {
        credits: { remaining: 10_000, used: 0, total: 10_000 },
        plan: { name: "Growth", slug: "growth" },
        period: { started_at: DATE_TIME, resets_at: DATE_TIME },
        rate_limit: { requests_per_minute: 60, cached_requests_per_minute: 300 },
      },
      tokens: [
        {
          id: 1,
          account_id: id,
          name: "the shop",
          abilities: ["screenshot", "pdf"],
          created_at: DATE_TIME,
          expires_at: null,
          rotated_at: null,
          overlap_ends_at: null,
          last_used_at: null,
        },
      ],
    });
  });

  it("are changed, and null clears an override", async () => {
    const service = await openAdmin();
    const { id } = await create(service, {
      email: "ada@example.com",
      plan: "starter",
      requests_per_minute: 5,
    });
    const change = { plan: "scale", requests_per_minute: null, email: "grace@example.com" };
    expect(await service.read(`/accounts/${id}`, { method: "PATCH", json: change })).toMatchObject({
      id,
      email: "grace@example.com",
      plan: "scale",
      requests_per_minute: null,
    });
    const none = await service.read(`/accounts/${id}`, { method: "PATCH", json: { plan: null } });
    expect(none).toMatchObject({ email: "grace@example.com", plan: null });
  });

  it("are verified, suspended and resumed", async () => {
    const service = await openAdmin();
    const { id } = await create(service, { email: "ada@example.com", verified: false });
    const act = (name: string): Promise<unknown> =>
      service.read(`/accounts/${id}/${name}`, { method: "POST" });
    expect(await act("verify")).toMatchObject({ id, verified_at: DATE_TIME });
    expect(await act("suspend")).toMatchObject({ id, suspended_at: DATE_TIME });
    expect(await act("resume")).toMatchObject({ id, suspended_at: null });
  });

  it("are listed in order of creation, with pages and filters", async () => {
    const service = await openAdmin();
    const ids: string[] = [];
    for (const [name, plan, verified] of [
      ["ada", "starter", true],
      ["grace", "growth", true],
      ["Adele", null, false],
    ] as const) {
      ids.push((await create(service, { email: `${name}@example.com`, plan, verified })).id);
      service.clock.advance(1);
    }
    const list = async (query: string): Promise<unknown> => {
      const { entries, ...rest } = (await service.read(`/accounts?${query}`)) as { entries: Account[] };
      return { ids: entries.map(({ id }) => ids.indexOf(id)), ...rest };
    };
    expect(await list("")).toEqual({ ids: [0, 1, 2], has_more: false, more: 0 });
    expect(await list("limit=2")).toEqual({ ids: [0, 1], has_more: true, more: 1 });
    expect(await list(`limit=2&after=${ids[1]}`)).toEqual({ ids: [2], has_more: false, more: 0 });
    expect(await list("email=ad")).toMatchObject({ ids: [0, 2] });
    expect(await list("plan=growth")).toMatchObject({ ids: [1] });
    expect(await list("plan=none")).toMatchObject({ ids: [2] });
    expect(await list("verified=false")).toMatchObject({ ids: [2] });
    expect(await list("verified=1&plan=starter")).toMatchObject({ ids: [0] });
    const unknown = await service.admin("/accounts?after=acct_0");
    expect([unknown.status, envelopeOf(unknown).code]).toEqual([404, "not_found"]);
  });

  it("are deleted, and a dry run shows what would be deleted", async () => {
    const service = await openAdmin();
    const { id } = await create(service, { email: "ada@example.com", plan: "starter" });
    const { token } = await service.engine.tokens.create({ accountId: id });
    await service.snap({ url: "https://example.com/" }, { token });
    const remove = (query = ""): Promise<unknown> =>
      service.read(`/accounts/${id}${query}`, { method: "DELETE" });
    expect(await remove("?dry_run=true")).toEqual({
      deleted: false,
      id,
      email: "ada@example.com",
      verified_at: DATE_TIME,
      plan: "starter",
      credits_per_period: null,
      requests_per_minute: null,
      created_at: DATE_TIME,
      suspended_at: null,
      deletion_started_at: null,
      token_ids: [1],
      purge: false,
    });
    expect(await remove()).toEqual({
      deleted: true,
      id,
      tokens: 1,
      batches: 0,
      documents: 0,
      renderings: 1,
      requests: 0,
      journal_entries: null,
    });
    expect(await remove("?purge=1&dry_run=1")).toEqual({ deleted: false, id, token_ids: [], purge: true });
    expect(await remove("?purge=1")).toMatchObject({ deleted: true, journal_entries: 3 });
    expect((await service.admin(`/accounts/${id}`, { method: "DELETE" })).status).toBe(404);
  });
});

describe("a request is rejected", () => {
  it.each<[object, Record<string, string[]>]>([
    [{}, { email: ["is required"] }],
    [{ email: "ada" }, { email: ["must be an email address"] }],
    [{ email: "ada@localhost" }, { email: ["must be an email address"] }],
    [{ email: "ada@127.0.0.1" }, { email: ["must be an email address"] }],
    [{ email: "a..b@example.com" }, { email: ["must be an email address"] }],
    [{ email: '"a b"@example.com' }, { email: ["must be an email address"] }],
    [{ email: "ada@пример.рф" }, { email: ["must be an email address"] }],
    [{ email: "ada@example.com\n" }, { email: ["must be an email address"] }],
    [
      { email: `ada@${Array(60).fill("mail").join(".")}.com` },
      { email: ["must have at most 254 characters"] },
    ],
    [
      { email: "a@example.com", plan: "gold" },
      { plan: ["unknown plan gold; use one of starter, growth, scale, unlimited"] },
    ],
    [
      { email: "a@example.com", requests_per_minute: 0 },
      { requests_per_minute: ["must be an integer from 1 to 1000000000"] },
    ],
    [
      { email: "a@example.com", credits_per_period: 1.5 },
      { credits_per_period: ["must be an integer from 0 to 1000000000"] },
    ],
    [{ email: "a@example.com", verified: "yes" }, { verified: ["must be true or false"] }],
    [{ email: "a@example.com", name: "Ada" }, { name: ["is not a parameter"] }],
    [{ email: "taken@example.com" }, { email: ["already belongs to another account"] }],
  ])("if the account to create is %j", async (account, errors) => {
    const service = await openAdmin();
    await create(service, { email: "taken@example.com" });
    const reply = await service.admin("/accounts", { method: "POST", json: account });
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply)).toMatchObject({ code: "validation_failed", errors });
  });

  it.each([
    ["[]", "must be a JSON object"],
    ["null", "must be a JSON object"],
    ["{", "must be well-formed JSON in UTF-8"],
  ])("with the body %s", async (body, problem) => {
    const { send } = await openAdmin();
    const headers = { "Content-Type": "application/json" };
    const token = "an-admin-token-for-tests";
    const reply = await send("/admin/v1/accounts", { method: "POST", token, headers, body });
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply).errors).toEqual({ body: [problem] });
  });

  it.each([
    ["limit=0", { limit: ["must be an integer from 1 to 200"] }],
    ["limit=201", { limit: ["must be an integer from 1 to 200"] }],
    ["limit=ten", { limit: ["must be an integer from 1 to 200"] }],
    ["limit=1&limit=2", { limit: ["must be sent only once"] }],
    ["verified=maybe", { verified: ["must be true or false"] }],
    ["offset=2", { offset: ["is not a parameter"] }],
    ["emial=ada", { emial: ["is not a parameter; did you mean email?"] }],
  ])("if it lists accounts with ?%s", async (query, errors) => {
    const { admin } = await openAdmin();
    const reply = await admin(`/accounts?${query}`);
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply).errors).toEqual(errors);
  });

  it("if the account does not exist", async () => {
    const { admin } = await openAdmin();
    for (const [method, path] of [
      ["GET", "/accounts/acct_0"],
      ["PATCH", "/accounts/acct_0"],
      ["DELETE", "/accounts/acct_0"],
      ["POST", "/accounts/acct_0/verify"],
      ["POST", "/accounts/acct_0/suspend"],
      ["POST", "/accounts/acct_0/resume"],
      ["GET", "/accounts/%ff"],
      ["GET", "/tokens?account=acct_0"],
      ["DELETE", "/tokens?account=acct_0"],
    ] as const) {
      const reply = await admin(path, { method });
      expect([path, reply.status]).toEqual([path, 404]);
      expect(envelopeOf(reply)).toEqual({
        code: "not_found",
        message: "Account not found: the id is unknown, or the account was deleted.",
        request_id: reply.headers["x-request-id"],
      });
    }
  });
});

describe("paths and methods", () => {
  it("an unknown path returns 404, and an unsupported method 405", async () => {
    const { admin } = await openAdmin();
    for (const path of ["/", "/account", "/accounts/", "/accounts/acct_0/delete", "/v1", "/accounts/a/b"])
      expect([path, (await admin(path)).status]).toEqual([path, 404]);
    const reply = await admin("/accounts/acct_0", { method: "PUT" });
    expect([reply.status, reply.headers.allow]).toEqual([405, "GET, HEAD, PATCH, DELETE, OPTIONS"]);
    expect(envelopeOf(reply).message).toBe("Method not allowed; use GET, HEAD, PATCH or DELETE.");
    const options = await admin("/accounts", { method: "OPTIONS" });
    expect([options.status, options.headers.allow]).toEqual([204, "GET, HEAD, POST, OPTIONS"]);
  });

  it("/plans returns the service's plans, and the unlimited one", async () => {
    const plans = [{ slug: "team", name: "Team", creditsPerPeriod: 5000, requestsPerMinute: 30 }];
    const { read } = await openAdmin({ admin: { plans } });
    expect(await read("/plans")).toEqual({
      entries: [
        { slug: "team", name: "Team", credits_per_period: 5000, requests_per_minute: 30 },
        {
          slug: "unlimited",
          name: "Unlimited",
          credits_per_period: 1_000_000_000,
          requests_per_minute: 1_000_000,
        },
      ],
      has_more: false,
    });
  });
});
