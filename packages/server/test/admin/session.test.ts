import { describe, expect, it } from "vitest";
import { envelopeOf, jsonOf, openService } from "../http/open-service.ts";
import { ADMIN_TOKEN, openAdmin, ORIGIN, postCode, signIn, TOKEN_ONLY } from "./open-admin.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

describe("a sign-in link", () => {
  it("starts a session with a cookie that lasts twelve hours", async () => {
    const service = await openAdmin();
    const { code } = await service.engine.operators.createLink();
    const reply = await postCode(service, code);
    expect(reply.status).toBe(204);
    expect(reply.body).toHaveLength(0);
    expect(reply.headers["cache-control"]).toBe("no-store");
    expect(reply.headers["set-cookie"]).toEqual([
      expect.stringMatching(
        /^__Host-snap_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ]);
  });

  it("sets a cookie without the __Host- prefix if there is no TLS", async () => {
    const origin = "http://127.0.0.1:3000";
    const service = await openAdmin({ publicUrl: origin, admin: { origin } });
    const { code } = await service.engine.operators.createLink();
    const reply = await postCode(service, code, { Origin: origin });
    expect(reply.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^snap_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
  });

  it("works once, and expires after ten minutes", async () => {
    const service = await openAdmin();
    const { code } = await service.engine.operators.createLink();
    expect((await postCode(service, code)).status).toBe(204);
    const late = await service.engine.operators.createLink();
    service.clock.advance(10 * MINUTE_MS);
    for (const rejected of [code, late.code, "x", `${code}x`]) {
      const reply = await postCode(service, rejected);
      expect(reply.status).toBe(401);
      expect(envelopeOf(reply).code).toBe("unauthenticated");
      expect(reply.headers["set-cookie"]).toBeUndefined();
    }
  });

  it("starts only one session, even if it is opened several times concurrently", async () => {
    const service = await openAdmin();
    const { code } = await service.engine.operators.createLink();
    const replies = await Promise.all([1, 2, 3].map(() => postCode(service, code)));
    expect(replies.map(({ status }) => status).filter((status) => status === 204)).toHaveLength(1);
  });

  it.each([
    ["no Origin", {}],
    ["the origin of another page", { Origin: "https://evil.example" }],
    ["an opaque origin", { Origin: "null" }],
    ["Sec-Fetch-Site: cross-site", { Origin: ORIGIN, "Sec-Fetch-Site": "cross-site" }],
  ])("is rejected with %s, and still works afterwards", async (_, headers) => {
    const service = await openAdmin();
    const { code } = await service.engine.operators.createLink();
    const reply = await postCode(service, code, headers);
    expect(reply.status).toBe(403);
    expect(envelopeOf(reply).code).toBe("forbidden");
    expect((await postCode(service, code)).status).toBe(204);
  });

  it("requires a code, and accepts no other parameters", async () => {
    const service = await openAdmin();
    const headers = { Origin: ORIGIN };
    const wrong = await service.admin("/sign-in", { method: "POST", json: { code: 7, user: "x" }, headers });
    expect(wrong.status).toBe(422);
    expect(envelopeOf(wrong).errors).toEqual({
      code: ["must be a string of 1 to 200 characters"],
      user: ["is not a parameter"],
    });
    const none = await service.admin("/sign-in", { method: "POST", headers });
    expect(envelopeOf(none).errors).toEqual({ code: ["is required"] });
  });

  it("checks the origin before it reads the body", async () => {
    const service = await openAdmin();
    const headers = { Origin: "https://evil.example" };
    const reply = await service.admin("/sign-in", { method: "POST", json: { code: 7 }, headers });
    expect(envelopeOf(reply).code).toBe("forbidden");
  });
});

describe("a session", () => {
  it("reads and writes, and reports when it ends", async () => {
    const service = await openAdmin();
    const browser = await signIn(service);
    const session = jsonOf(await browser.send("/session"));
    expect(session).toEqual({
      user: "console",
      expires_at: new Date(service.clock.now() + 12 * HOUR_MS).toISOString(),
    });
    const created = await browser.send("/accounts", { method: "POST", json: { email: "ada@example.com" } });
    expect(created.status).toBe(201);
  });

  it("ends after twelve hours", async () => {
    const service = await openAdmin();
    const browser = await signIn(service);
    service.clock.advance(12 * HOUR_MS - 1);
    expect((await browser.send("/session")).status).toBe(200);
    service.clock.advance(1);
    expect((await browser.send("/session")).status).toBe(401);
  });

  it("ends when the operator signs out, or when all operators are signed out", async () => {
    const service = await openAdmin();
    const [one, other] = [await signIn(service), await signIn(service)];
    const out = await one.send("/sign-in", { method: "DELETE" });
    expect(out.status).toBe(204);
    expect(out.headers["set-cookie"]).toEqual([
      "__Host-snap_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure",
    ]);
    expect((await one.send("/session")).status).toBe(401);
    expect((await other.send("/session")).status).toBe(200);
    expect(await service.engine.operators.signOutAll()).toBe(1);
    expect((await other.send("/session")).status).toBe(401);
  });

  it.each([
    ["a forged value", "__Host-snap_session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
    ["the code from a link", "CODE"],
    ["an empty value", "__Host-snap_session="],
    ["invalid characters", "__Host-snap_session=' OR 1=1 --"],
    ["the name of the cookie without TLS", "snap_session=SESSION"],
    ["another name", "x__Host-snap_session=SESSION"],
  ])("is not accepted from a cookie with %s", async (_, template) => {
    const service = await openAdmin();
    const { cookie, send } = await signIn(service);
    const { code } = await service.engine.operators.createLink();
    const forged = template
      .replace("CODE", `__Host-snap_session=${code}`)
      .replace("SESSION", cookie.split("=")[1] ?? "");
    const reply = await send("/session", { headers: { Cookie: forged } });
    expect(reply.status).toBe(401);
    expect(envelopeOf(reply).code).toBe("unauthenticated");
    expect(reply.headers["www-authenticate"]).toBe('Bearer realm="snap"');
    expect((await send("/session", { headers: { Cookie: `a=b; ${cookie}; c=d` } })).status).toBe(200);
  });

  it.each<[string, Record<string, string>]>([
    ["the origin of another page", { Origin: "https://evil.example" }],
    ["another port of the host", { Origin: "https://snap.example.com:8443" }],
    ["plain HTTP", { Origin: "http://snap.example.com" }],
    ["an opaque origin", { Origin: "null" }],
    ["a page of another site", { "Sec-Fetch-Site": "cross-site" }],
    ["a page of the same site", { "Sec-Fetch-Site": "same-site" }],
    ["outside any page", { "Sec-Fetch-Site": "none" }],
  ])("cannot write from %s", async (_, headers) => {
    const service = await openAdmin();
    const { send } = await signIn(service);
    const account = { method: "POST", json: { email: "ada@example.com" } };
    const reply = await send("/accounts", { ...account, headers });
    expect(reply.status).toBe(403);
    expect(envelopeOf(reply)).toMatchObject({
      code: "forbidden",
      message: "Console sessions work only on pages of https://snap.example.com.",
    });
    expect(await service.engine.accounts.list()).toEqual([]);
    expect((await send("/accounts", account)).status).toBe(201);
  });

  it("cannot write without an Origin", async () => {
    const service = await openAdmin();
    const { cookie } = await signIn(service);
    const headers = { Cookie: cookie };
    const account = { method: "POST", token: undefined, json: { email: "ada@example.com" }, headers };
    expect((await service.admin("/accounts", account)).status).toBe(403);
    expect((await service.admin("/session", { token: undefined, headers })).status).toBe(200);
  });

  it.each([
    ["cross-site", 403],
    ["same-site", 403],
    ["none", 200],
    ["same-origin", 200],
  ])("that reads with Sec-Fetch-Site: %s gets the status %i", async (site, status) => {
    const service = await openAdmin();
    const { send } = await signIn(service);
    expect((await send("/session", { headers: { "Sec-Fetch-Site": site } })).status).toBe(status);
    expect((await send("/session", { method: "HEAD", headers: { "Sec-Fetch-Site": site } })).status).toBe(
      status,
    );
  });

  it("is bound to the origin of the request if none is configured", async () => {
    const service = await openAdmin({ admin: { origin: null } });
    const { host } = new URL(service.service.origin);
    const { send } = await signIn(service, `http://${host}`);
    const account = { method: "POST", json: { email: "ada@example.com" } };
    expect((await send("/accounts", { ...account, headers: { Origin: ORIGIN } })).status).toBe(403);
    expect((await send("/accounts", account)).status).toBe(201);
  });

  it("is bound to the origin of the request even if the proxy adds the default port", async () => {
    const service = await openAdmin({ admin: { origin: null }, trustProxy: 1 });
    const { code } = await service.engine.operators.createLink();
    const proxied = { Host: "snap.example.com:443", "X-Forwarded-Proto": "https" };
    expect((await postCode(service, code, { Origin: ORIGIN, ...proxied })).status).toBe(204);
  });

  it("has no CORS headers in its responses", async () => {
    const service = await openAdmin();
    const { send } = await signIn(service);
    for (const method of ["GET", "OPTIONS"]) {
      const reply = await send("/session", { method });
      const names = Object.keys(reply.headers).filter((name) => name.startsWith("access-control-"));
      expect(names).toEqual([]);
    }
  });
});

describe("the admin token", () => {
  it("reads and writes from any origin, and does not expire", async () => {
    const service = await openAdmin();
    expect(await service.read("/session")).toEqual({ user: "admin token", expires_at: null });
    const headers = { Origin: "https://elsewhere.example", "Sec-Fetch-Site": "cross-site" };
    const reply = await service.admin("/accounts", {
      method: "POST",
      json: { email: "ada@example.com" },
      headers,
    });
    expect(reply.status).toBe(201);
  });

  it.each(["wrong-admin-token-for-te", "an-admin-token-for-test", `${ADMIN_TOKEN}x`, "x"])(
    "does not match %s",
    async (token) => {
      const service = await openAdmin();
      const { cookie } = await signIn(service);
      // a wrong token is rejected even together with a session
      for (const headers of [{}, { Cookie: cookie, Origin: ORIGIN }]) {
        const reply = await service.admin("/session", { token, headers });
        expect(reply.status).toBe(401);
        expect(envelopeOf(reply).code).toBe("unauthenticated");
      }
    },
  );

  it("is not interchangeable with an account's token", async () => {
    const service = await openAdmin();
    const { token } = await service.customer();
    expect((await service.admin("/session", { token })).status).toBe(401);
    expect((await service.send("/v1/usage", { token: ADMIN_TOKEN })).status).toBe(401);
  });

  it("or a session is required for everything except the description and signing in", async () => {
    const service = await openAdmin();
    const open = await service.admin("/openapi.json", { token: undefined });
    expect(open.status).toBe(200);
    const { paths } = jsonOf(open) as { paths: Record<string, Record<string, unknown>> };
    for (const [path, methods] of Object.entries(paths))
      for (const method of Object.keys(methods)) {
        if (path === "/sign-in" && method === "post") continue;
        const reply = await service.admin(path.replace("{id}", "1"), {
          method: method.toUpperCase(),
          token: undefined,
        });
        expect([method, path, reply.status]).toEqual([method, path, 401]);
      }
  });

  it("cannot be sent as Basic credentials, which sessions ignore", async () => {
    const service = await openAdmin();
    const { send } = await signIn(service);
    const headers = { Authorization: `Basic ${Buffer.from(`admin:${ADMIN_TOKEN}`).toString("base64")}` };
    expect((await send("/session", { headers })).status).toBe(200);
    expect((await service.admin("/session", { token: undefined, headers })).status).toBe(401);
  });
});

describe("a service", () => {
  it("without a console accepts only the admin token", async () => {
    const service = await openAdmin({ admin: TOKEN_ONLY });
    const { code } = await service.engine.operators.createLink();
    expect((await postCode(service, code)).status).toBe(404);
    const started = await service.engine.operators.signIn(code);
    const headers = { Cookie: `__Host-snap_session=${started?.session}`, Origin: ORIGIN };
    expect((await service.admin("/session", { token: undefined, headers })).status).toBe(401);
    expect((await service.admin("/session")).status).toBe(200);
    for (const path of ["/console", "/console/"]) expect((await service.send(path)).status).toBe(404);
  });

  it("without a console or an admin token returns 404 for the paths of both", async () => {
    const { send } = await openService();
    for (const path of ["/console", "/console/", "/admin/v1/health", "/admin/v1/openapi.json", "/admin/v1/"])
      for (const method of ["GET", "POST", "PATCH", "DELETE", "OPTIONS"]) {
        const reply = await send(path, { method, token: ADMIN_TOKEN });
        expect([method, path, reply.status]).toEqual([method, path, 404]);
        expect(envelopeOf(reply).code).toBe("not_found");
      }
  });

  it("serves neither the console nor the admin API as a worker", async () => {
    const service = await openAdmin({ endpoints: "operations" });
    for (const path of ["/console/", "/admin/v1/health"])
      expect((await service.send(path, { token: ADMIN_TOKEN })).status).toBe(404);
  });
});
