import { randomUUID } from "node:crypto";
import type { AdminAccount, AdminToken } from "@snap/protocol";
import { envelope, ok, page, type StubResponse, type Call, type Stub } from "./responses.ts";
import { createHealth, createUsage, EMPTY_HEALTH, PLANS, USAGE_REPORT } from "./data.ts";

type Body = NonNullable<Call["body"]>;

/** Handles a call to the admin API; returns `null` for an unknown path. */
export function handleAdmin(stub: Stub, call: Call): StubResponse | null {
  const [resource = "", id = "", action = ""] = call.path
    .slice("/admin/v1/".length)
    .split("/")
    .map(decodeURIComponent);
  if (resource === "sign-in" && call.method === "POST") return signIn(stub, String(call.body?.["code"]));
  if (call.cookie === null || !stub.sessions.has(call.cookie))
    return envelope(401, "unauthenticated", "Sign in first.");
  switch (resource) {
    case "sign-in":
      stub.sessions.delete(call.cookie);
      return { status: 204 };
    case "session":
      return ok({ user: "console", expires_at: new Date(Date.now() + 43_200_000).toISOString() });
    case "health":
      return ok({
        ...createHealth(stub.now()),
        problems: stub.data.problems,
        ...(stub.scenario === "empty" && EMPTY_HEALTH),
      });
    case "plans":
      return ok({ entries: PLANS, has_more: false });
    case "accounts":
      return handleAccounts(stub, call, { id, action });
    case "tokens":
      return handleTokens(stub, call, { id: Number(id), action });
    case "requests":
      return handleRequests(stub, call, { id, action });
    case "batches":
      return handleBatches(stub, call, id);
    case "deliveries":
      return handleDeliveries(stub, call);
    case "usage":
      return handleUsage(stub, call);
    default:
      return null;
  }
}

function signIn(stub: Stub, code: string): StubResponse {
  if (!stub.codes.delete(code))
    return envelope(401, "unauthenticated", "The link has been used or has expired.");
  const session = randomUUID();
  stub.sessions.add(session);
  return {
    status: 204,
    headers: { "Set-Cookie": `snap_session=${session}; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200` },
  };
}

interface Subpath<Id> {
  readonly id: Id;
  readonly action: string;
}

function handleAccounts(
  { data, scenario }: Stub,
  { method, query, body }: Call,
  { id, action }: Subpath<string>,
): StubResponse {
  if (id === "" && method === "POST") {
    if (!String(body?.["email"]).includes("@"))
      return envelope(422, "validation_failed", "email must be an email address", {
        email: ["must be an email address"],
      });
    const account = {
      ...data.accounts[0]!,
      ...body,
      id: "acc_created",
      verified_at: body?.["verified"] ? new Date().toISOString() : null,
    };
    data.accounts.push(account);
    return ok(account, 201);
  }
  if (id === "") {
    const found = data.accounts.filter(({ email }) => email.includes(query.get("email") ?? ""));
    return page(scenario === "empty" ? [] : found, query);
  }
  const index = data.accounts.findIndex((account) => account.id === id);
  const account = data.accounts[index];
  if (account === undefined) return envelope(404, "not_found", "No such account.");
  if (method === "DELETE") {
    data.accounts.splice(index, 1);
    return { status: 204 };
  }
  const change = (fields: Partial<AdminAccount>): StubResponse => {
    data.accounts[index] = { ...account, ...fields };
    return ok(data.accounts[index]);
  };
  const now = new Date().toISOString();
  if (action === "verify") return change({ verified_at: now });
  if (action === "suspend") return change({ suspended_at: now });
  if (action === "resume") return change({ suspended_at: null });
  if (method === "PATCH") return change(body as Partial<AdminAccount>);
  return ok({
    ...account,
    usage: USAGE_REPORT,
    tokens: data.tokens.filter((token) => token.account_id === id),
  });
}

function handleTokens({ data }: Stub, { method, body }: Call, { id, action }: Subpath<number>): StubResponse {
  const secrets = (token: AdminToken): Body => ({
    ...token,
    token: `${token.id}|secret-of-token-${token.id}`,
    signing_secret: "s3cret-of-the-token",
  });
  const index = data.tokens.findIndex((token) => token.id === id);
  const known = data.tokens[index];
  if (method === "POST" && action === "") {
    const token: AdminToken = {
      ...data.tokens[0]!,
      id: 42,
      account_id: String(body?.["account_id"]),
      name: (body?.["name"] as string | undefined) ?? null,
      abilities: body?.["abilities"] as AdminToken["abilities"],
      last_used_at: null,
    };
    data.tokens.push(token);
    return ok(secrets(token), 201);
  }
  if (known === undefined) return envelope(404, "not_found", "No such token.");
  if (action === "reveal") return ok({ signing_secret: "s3cret-of-the-token" });
  if (action === "rotate") {
    const overlapSeconds = Number(body?.["overlap_seconds"]);
    data.tokens[index] = {
      ...known,
      overlap_ends_at: new Date(Date.now() + overlapSeconds * 1000).toISOString(),
    };
    return ok(secrets(data.tokens[index]));
  }
  if (method === "DELETE") {
    data.tokens.splice(index, 1);
    return { status: 204 };
  }
  return ok(known);
}

function handleRequests(
  { data, scenario, image }: Stub,
  { query }: Call,
  { id, action }: Subpath<string>,
): StubResponse {
  if (id === "") {
    const found = data.requests.filter(
      (request) =>
        (query.get("code") ?? request.code) === request.code &&
        (query.get("host") ?? request.host) === request.host &&
        (query.get("failed") ?? String(request.code !== null)) === String(request.code !== null) &&
        (query.get("account") ?? request.account_id) === request.account_id &&
        (query.get("entry_point") ?? request.entry_point) === request.entry_point &&
        (query.get("since") ?? "") <= request.at,
    );
    return page(scenario === "empty" ? [] : found, query);
  }
  const request = data.requests.find((each) => each.id === id);
  if (request === undefined) return envelope(404, "not_found", "No such request.");
  if (action === "") return ok(request);
  if (request.code !== null || request.cache === null) return envelope(404, "not_found", "No longer cached.");
  return request.mode === "pdf"
    ? { status: 200, headers: { "Content-Type": "application/pdf" }, body: Buffer.from("%PDF-1.7\n%%EOF\n") }
    : { status: 200, headers: { "Content-Type": "image/png" }, body: image };
}

function handleBatches({ data, scenario }: Stub, { query }: Call, id: string): StubResponse {
  if (id !== "") {
    const batch = data.batches.find((each) => each.id === id);
    return batch === undefined ? envelope(404, "not_found", "No such batch.") : ok(batch);
  }
  return page(scenario === "empty" ? [] : data.batches.map(summarize), query);
}

/** Replaces the items of a batch with their number per status, as lists do. */
export function summarize(batch: Stub["data"]["batches"][number]): Body & { readonly id: string } {
  const count = (status: string): number => batch.items.filter((item) => item.status === status).length;
  const items = {
    queued: count("queued"),
    rendering: count("rendering"),
    done: count("done"),
    failed: count("failed"),
  };
  return { ...batch, items };
}

export function handleDeliveries({ data, scenario }: Stub, { method, query, body }: Call): StubResponse {
  if (method === "POST") {
    const index = data.batches.findIndex(({ id }) => id === body?.["batch_id"]);
    const batch = data.batches[index];
    if (batch?.webhook == null) return envelope(404, "not_found", "No such batch.");
    const now = new Date().toISOString();
    data.batches[index] = { ...batch, webhook: { ...batch.webhook, status: "delivered", delivered_at: now } };
    data.deliveries.unshift({
      ...data.deliveries[0]!,
      id: `dlv_${now}`,
      at: now,
      attempt: 1,
      delivered: true,
      status: 200,
      body: "ok",
    });
    return { status: 202, body: {} };
  }
  const found = data.deliveries.filter(({ batch_id }) => batch_id === query.get("batch"));
  return page(scenario === "empty" ? [] : found, query);
}

function handleUsage({ scenario }: Stub, { query }: Call): StubResponse {
  const [by, from, to] = [query.get("by") ?? "day", query.get("from") ?? "", query.get("to") ?? ""];
  if (query.get("format") === "csv")
    return { status: 200, headers: { "Content-Type": "text/csv" }, body: "day,renders\n2026-11-25,1\n" };
  return ok({ entries: scenario === "empty" ? [] : createUsage(by, from, to), has_more: false });
}
