import { consoleFiles, CONTENT_SECURITY_POLICY } from "@snap/console";
import { describe, expect, it } from "vitest";
import { envelopeOf } from "../http/open-service.ts";
import { openAdmin } from "./open-admin.ts";

describe("the console", () => {
  it("consists of a page and assets, served with its content security policy", async () => {
    const { send } = await openAdmin();
    const page = await send("/console/");
    expect(page.status).toBe(200);
    expect(page.body.toString()).toBe("<!doctype html>");
    expect(page.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    const asset = await send("/console/assets/index-0a1b2c3d.js");
    expect(asset.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
    });
    for (const name of ["set-cookie", "access-control-allow-origin"])
      expect(page.headers[name]).toBeUndefined();
  });

  it("redirects with a relative URL, which works behind any path prefix", async () => {
    const { send } = await openAdmin();
    const reply = await send("/console");
    expect([reply.status, reply.headers.location]).toEqual([308, "console/"]);
  });

  it.each([
    "/console/index.html",
    "/console/assets",
    "/console/assets/",
    "/console/assets/other.js",
    "/console/../package.json",
    "/console/..%2fpackage.json",
    "/console/assets/..%2f..%2fpackage.json",
    "/console/%2e%2e/package.json",
    "/console/__proto__",
    "/console//",
    "/Console/",
  ])("returns 404 for %s", async (path) => {
    const { send } = await openAdmin();
    const reply = await send(path);
    expect([reply.status, envelopeOf(reply).code]).toEqual([404, "not_found"]);
  });

  it("allows only GET, HEAD and OPTIONS", async () => {
    const { send } = await openAdmin();
    const reply = await send("/console/", { method: "POST" });
    expect([reply.status, reply.headers.allow]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  it("is served unchanged from @snap/console", async () => {
    const files = consoleFiles();
    const { send } = await openAdmin({
      admin: { console: { files, contentSecurityPolicy: CONTENT_SECURITY_POLICY } },
    });
    expect(files.has("")).toBe(true);
    for (const [path, { contentType, body, isImmutable }] of files) {
      const reply = await send(`/console/${path}`);
      expect([path, reply.status, reply.headers["content-type"]]).toEqual([path, 200, contentType]);
      expect(reply.body.equals(body)).toBe(true);
      expect(reply.headers["cache-control"]).toContain(isImmutable ? "immutable" : "no-cache");
      expect(reply.headers["content-security-policy"]).not.toContain("unsafe");
    }
  });
});
