import { describe, expect, it } from "vitest";
import { envelopeOf, openService, UUID } from "./open-service.ts";

const PATHS = [
  "/v1/snap",
  "/v1/snap/signed",
  "/v1/usage",
  "/v1/renders/batch_0a1b2c3d4e5f60718293a4b5",
  "/v1/openapi.json",
  "/v1/postman.json",
  "/healthz",
  "/readyz",
  "/",
  "/docs",
];

describe("the service", () => {
  it.each([
    "/v1",
    "/v1/",
    "/v1/snap/",
    "/v1/Snap",
    "/V1/snap",
    "//v1/snap",
    "/v1//snap",
    "/v1/%73nap",
    "/v1/snap%00",
    "/v1/snap/signed/",
    "/v1/snap/Signed",
    "/v1/../v1/snap",
    "/v1/Renders",
    "/v1/renders/",
    "/v1/renders//",
    "/v1/renders/batch_0a1b2c3d4e5f60718293a4b5/",
    "/v1/renders/batch_0a1b2c3d4e5f60718293a4b5/items",
    "/v1/%",
    "/docs/",
    "/docs/..%2f..%2fpackage.json",
    "/docs/__proto__",
    "/metrics",
    "/api",
    "/api/v1x",
    "/api/v2/snap",
    "/favicon.ico",
  ])("returns 404 for %s", async (path) => {
    const { send } = await openService();
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const reply = await send(path, { method });
      expect(reply.status).toBe(404);
      expect(envelopeOf(reply)).toEqual({
        code: "not_found",
        message: expect.any(String),
        request_id: reply.headers["x-request-id"],
      });
      expect(reply.headers).toMatchObject({ "cache-control": "no-store" });
      expect(reply.headers["x-credits-limit"]).toBeUndefined();
    }
  });

  it.each(["/api/v1", "/api/v1/", "/api/v1/snap?url=https://example.com/", "/api/v1/renders/1"])(
    "returns api_moved for %s and every method",
    async (path) => {
      const { send } = await openService({ publicUrl: "https://shots.example.org" });
      for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) {
        const reply = await send(path, { method });
        expect(reply.status).toBe(410);
        const { code, message } = envelopeOf(reply);
        expect(code).toBe("api_moved");
        expect(message).toContain("https://shots.example.org/v1");
      }
      expect((await send(path, { method: "HEAD" })).status).toBe(410);
    },
  );
});

describe("methods", () => {
  it.each(["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY"])(
    "%s returns 405 on a GET endpoint",
    async (method) => {
      const { send, customer } = await openService();
      const { token } = await customer();
      for (const path of PATHS) {
        const reply = await send(path, { method, token });
        expect(reply.status).toBe(405);
        expect(envelopeOf(reply).code).toBe("method_not_allowed");
        expect(reply.headers.allow).toBe("GET, HEAD, OPTIONS");
        expect(reply.headers["x-credits-limit"]).toBeUndefined();
        expect(reply.headers["x-request-id"]).toMatch(UUID);
      }
    },
  );

  it.each(["GET", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY"])(
    "%s returns 405 on a POST endpoint",
    async (method) => {
      const { send, customer } = await openService();
      const { token } = await customer();
      const reply = await send("/v1/captures", { method, token });
      expect(reply.status).toBe(405);
      expect(reply.headers.allow).toBe("POST, OPTIONS");
      expect(envelopeOf(reply).code).toBe("method_not_allowed");
    },
  );

  it("OPTIONS returns the allowed methods, and grants other origins access to signed URLs only", async () => {
    const { send, sendRaw } = await openService();
    for (const path of PATHS.filter((each) => each !== "/v1/snap/signed")) {
      const reply = await send(path, { method: "OPTIONS", headers: { Origin: "https://other.example" } });
      expect(reply.status).toBe(204);
      expect(reply.headers).toMatchObject({ allow: "GET, HEAD, OPTIONS", "cache-control": "no-store" });
      expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
    }
    const signed = await send("/v1/snap/signed", {
      method: "OPTIONS",
      headers: { Origin: "https://other.example" },
    });
    expect(signed).toMatchObject({
      status: 204,
      headers: {
        allow: "GET, HEAD, OPTIONS",
        "access-control-allow-origin": "*",
        "cache-control": "no-store",
      },
    });
    const headReply = await send("/v1/captures", { method: "HEAD" });
    expect(headReply).toMatchObject({ status: 405, headers: { allow: "POST, OPTIONS" } });
    const capture = await send("/v1/captures", { method: "OPTIONS" });
    expect(capture).toMatchObject({ status: 204, headers: { allow: "POST, OPTIONS" } });
    const server = await sendRaw("OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect(server).toMatch(/^HTTP\/1\.1 204 /);
  });

  it("HEAD returns the Content-Length of GET and no body", async () => {
    const { send } = await openService();
    for (const path of [
      "/v1/openapi.json",
      "/v1/postman.json",
      "/healthz",
      "/readyz",
      "/",
      "/docs",
      "/nowhere",
    ]) {
      const [head, get] = [await send(path, { method: "HEAD" }), await send(path)];
      expect(head.status).toBe(get.status);
      expect(head.body).toHaveLength(0);
      expect(head.headers["content-length"]).toBe(String(get.body.length));
    }
  });
});

describe("health", () => {
  it("reports that the service is alive and ready", async () => {
    const { send } = await openService();
    for (const [path, body] of [
      ["/healthz", { status: "ok" }],
      ["/readyz", { status: "ready" }],
    ] as const) {
      const reply = await send(path);
      expect(reply.status).toBe(200);
      expect(JSON.parse(reply.body.toString())).toEqual(body);
      expect(reply.headers["cache-control"]).toBe("no-store");
    }
  });

  it("reports not ready without a browser, and logs the reason without returning it", async () => {
    const { send, renderer, lines } = await openService();
    renderer.setUnready("no browser at /somewhere");
    const reply = await send("/readyz");
    expect(reply.status).toBe(503);
    expect(envelopeOf(reply).code).toBe("not_ready");
    expect(reply.headers["retry-after"]).toBe("2");
    expect(reply.body.toString()).not.toContain("/somewhere");
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: "not ready", reasons: ["renderer: no browser at /somewhere"] }),
    );
    expect((await send("/healthz")).status).toBe(200);
    renderer.setUnready(null);
    await expect.poll(async () => (await send("/readyz")).status).toBe(200);
  });

  it("shares a check between requests", async () => {
    const { send, storage } = await openService();
    const held = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    let checks = 0;
    storage.check = () => {
      checks += 1;
      started.resolve();
      return held.promise;
    };
    const replies = Array.from({ length: 50 }, () => send("/readyz"));
    await started.promise;
    held.resolve();
    for (const { status } of await Promise.all(replies)) expect(status).toBe(200);
    // at most one a second; on a busy machine, the requests can take longer than that
    expect(checks).toBeLessThan(10);
  });
});

describe("the pages", () => {
  it("load only existing files from the same origin", async () => {
    const { send } = await openService();
    for (const path of ["/", "/docs"]) {
      const page = await send(path);
      expect(page.status).toBe(200);
      expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(page.headers["content-security-policy"]).toContain(
        "default-src 'none'; script-src 'self'; style-src 'self'",
      );
      const html = page.body.toString();
      expect(html).not.toMatch(/https?:|src="\/\/|<script>|<style>| on[a-z]+=/);
      for (const [, address = ""] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
        if (address.startsWith("data:")) continue;
        const part = await send(`/${address}`);
        expect(part.status).toBe(200);
        expect(part.headers["x-content-type-options"]).toBe("nosniff");
      }
    }
  });
});

describe("metrics", () => {
  it("are exposed if enabled", async () => {
    const { send, snap, customer } = await openService({ metrics: true });
    const { token } = await customer({ credits: 1 });
    await snap({ url: "https://example.com/" }, { token });
    await snap({ url: "https://example.com/" }, { token });
    await snap({ url: "https://example.com/", cache: "0" }, { token });
    await send("/some/unknown/path");
    const reply = await send("/metrics");
    expect(reply.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = reply.body.toString();
    expect(text.split("\n")).toEqual(
      expect.arrayContaining([
        'snap_http_requests_total{route="/v1/snap",status="200",code=""} 2',
        'snap_http_requests_total{route="/v1/snap",status="402",code="credit_limit_reached"} 1',
        'snap_http_requests_total{route="unmatched",status="404",code="not_found"} 1',
        'snap_http_requests_total{route="/v1/snap",status="500",code="server_error"} 0',
        'snap_captures_total{cache="miss"} 1',
        'snap_captures_total{cache="hit"} 1',
        'snap_render_duration_seconds_count{mode="screenshot"} 1',
        "snap_credits_total 1",
        "snap_renders_running 0",
        "snap_renders_waiting 0",
        "snap_quarantined_accounts 0",
      ]),
    );
    expect(text).toContain("process_cpu_seconds_total");
  });
});

describe("the endpoints of a worker", () => {
  it("are only health checks and metrics", async () => {
    const { send, customer } = await openService({ endpoints: "operations", metrics: true });
    const { token } = await customer();
    for (const path of ["/healthz", "/readyz", "/metrics"]) expect((await send(path)).status).toBe(200);
    for (const path of [
      "/v1/snap?url=https://example.com/",
      "/v1/usage",
      "/v1/openapi.json",
      "/mcp",
      "/docs",
      "/",
    ]) {
      const reply = await send(path, { token });
      expect(reply.status).toBe(404);
      expect(envelopeOf(reply).code).toBe("not_found");
    }
  });
});
