import { describe, expect, it } from "vitest";
import { openService } from "../http/open-service.ts";

const demo = { token: `7|${"s".repeat(43)}`, url: "http://127.0.0.1:3001/?a=1&b=2" };
const SECRET = "s".repeat(43);

describe("GET /", () => {
  it("is a page without inline code, for every Accept header", async () => {
    const { send } = await openService();
    for (const Accept of ["text/html", "application/json", "*/*"]) {
      const reply = await send("/", { headers: { Accept } });
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
      const policy = String(reply.headers["content-security-policy"]);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(reply.body.toString()).not.toMatch(/style=|<script>|\{\{/);
    }
  });

  it("links to the console only if it is served", async () => {
    const { send } = await openService();
    expect((await send("/")).body.toString()).not.toContain("console");
    const site = { files: new Map(), contentSecurityPolicy: "default-src 'none'" };
    const served = await openService({ admin: { console: site } });
    expect((await served.send("/")).body.toString()).toContain('href="console/"');
  });
});

it.each(["/start/start.css", "/start/start.js", "/docs/init.js"])(
  "%s must be revalidated by browsers, so that it matches the page after an upgrade",
  async (path) => {
    const { send } = await openService();
    const reply = await send(path);
    expect([reply.status, reply.headers["cache-control"]]).toEqual([200, "no-cache"]);
  },
);

describe.each(["/", "/docs"])("GET %s with serve --dev", (path) => {
  it("contains the demo token for a browser on this machine", async () => {
    const { send } = await openService({ demo });
    for (const Host of ["127.0.0.1:3000", "localhost", "LOCALHOST:3000", "[::1]:3000"]) {
      const reply = await send(path, { headers: { Host } });
      expect(reply.body.toString()).toContain(
        `data-token="7|${SECRET}" data-url="http://127.0.0.1:3001/?a=1&amp;b=2"`,
      );
      expect(reply.headers["cache-control"]).toBe("no-store");
      const head = await send(path, { method: "HEAD", headers: { Host } });
      expect(head.headers["content-length"]).toBe(String(reply.body.length));
    }
  });

  it.each([
    { Host: "rebound.example:3000" },
    { Host: "localhost.rebound.example" },
    { Host: "127.0.0.1.rebound.example" },
    { Host: "127.0.0.1:3000, rebound.example" },
    ...[
      "Forwarded",
      "Via",
      "X-Forwarded-For",
      "X-Forwarded-Proto",
      "X-Forwarded",
      "X-Real-IP",
      "X-Original-URL",
      "X-Client-IP",
      "CF-Connecting-IP",
      "CF-Ray",
      "True-Client-IP",
    ].map((name) => ({ Host: "127.0.0.1:3000", [name]: "203.0.113.7" })),
  ])("does not contain the demo token for %j", async (headers) => {
    const { send } = await openService({ demo });
    const reply = await send(path, { headers });
    expect(reply.status).toBe(200);
    expect(reply.body.toString()).not.toContain(SECRET);
  });

  it.each([
    [`GET ${path} HTTP/1.1`, "Host: localhost", true],
    [`GET ${path} HTTP/1.0`, "Host: localhost", false],
    [`GET http://rebound.example${path} HTTP/1.1`, "Host: localhost", false],
    [`GET http://localhost${path} HTTP/1.1`, "Host: localhost", false],
  ])("contains the demo token for the request %j with %j: %s", async (line, headers, contains) => {
    const { sendRaw } = await openService({ demo });
    const reply = await sendRaw(`${line}\r\n${headers}\r\nConnection: close\r\n\r\n`);
    expect(reply).toContain("HTTP/1.1 200 OK");
    expect(reply.includes(SECRET)).toBe(contains);
  });
});
