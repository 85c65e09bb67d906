import { createServer } from "node:http";
import { connect } from "node:net";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import { createApp } from "../../src/http/app.ts";
import { createLogger } from "../../src/operations/logger.ts";
import { zipOf } from "../documents/zip.ts";
import {
  envelopeOf,
  jsonOf,
  openService,
  type Reply,
  type RequestOptions,
  type TestService,
} from "./open-service.ts";

const PATH = "/v1/documents";
const HELLO = "<p>Hello</p>";
const HELLO_ID = "8467432f342eb7eb7d12be99527b892c945950211b9c71646c1bd51cd0e1bdeb";
const HELLO_DOCUMENT = {
  id: HELLO_ID,
  url: `https://documents.snap.invalid/${HELLO_ID}/`,
  content_type: "text/html",
  bytes: 12,
  files: 1,
  expires_at: "2026-03-02T12:00:00.000Z",
};
const BODY_MAX_BYTES = 10 * 1024 * 1024;

function upload(
  { send }: Pick<TestService, "send">,
  body: string | Buffer,
  {
    type = "text/html",
    query = "",
    headers = {},
    ...rest
  }: RequestOptions & { type?: string; query?: string },
): Promise<Reply> {
  return send(`${PATH}${query}`, {
    method: "POST",
    body,
    headers: { "Content-Type": type, ...headers },
    ...rest,
  });
}

describe("a document", () => {
  it("is uploaded, found and deleted, and costs nothing", async () => {
    const service = await openService({ metrics: true });
    const { token, id: account } = await service.customer();
    const created = await upload(service, HELLO, { token });
    expect(created.status).toBe(201);
    expect(jsonOf(created)).toEqual(HELLO_DOCUMENT);
    expect(created.headers).toMatchObject({
      location: `https://snap.example.com/v1/documents/${HELLO_ID}`,
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-credits-remaining": "1000",
    });
    expect(created.headers["x-ratelimit-limit"]).toBeUndefined();
    const found = await service.send(`${PATH}/${HELLO_ID}`, { token });
    expect([found.status, jsonOf(found)]).toEqual([200, HELLO_DOCUMENT]);
    const head = await service.send(`${PATH}/${HELLO_ID}`, { method: "HEAD", token });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    const deleted = await service.send(`${PATH}/${HELLO_ID}`, { method: "DELETE", token });
    expect([deleted.status, deleted.body.length]).toEqual([204, 0]);
    expect(deleted.headers).toMatchObject({ "cache-control": "no-store", "x-credits-remaining": "1000" });
    expect((await service.send(`${PATH}/${HELLO_ID}`, { method: "DELETE", token })).status).toBe(404);

    await service.whenLogged("request", 5);
    const line = service.lines.find(({ msg }) => msg === "request");
    expect(line).toMatchObject({ method: "POST", path: PATH, status: 201, account });
    const metrics = (await service.send("/metrics")).body.toString();
    for (const [route, status, code, count] of [
      ["/v1/documents", 201, "", 1],
      ["/v1/documents/{id}", 200, "", 2],
      ["/v1/documents/{id}", 204, "", 1],
      ["/v1/documents/{id}", 404, "not_found", 1],
    ] as const)
      expect(metrics).toContain(
        `snap_http_requests_total{route="${route}",status="${status}",code="${code}"} ${count}`,
      );
  });

  it("is found only by the account that stored it, and others cannot tell whether it exists", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const { token: other } = await service.customer();
    await upload(service, HELLO, { token });
    const expiring = jsonOf(await upload(service, "expires", { token, query: "?documentTtl=60" }));
    service.clock.advance(60_000);
    const foreign = { id: HELLO_ID, token: other };
    const unknown = { id: "0".repeat(64), token };
    const expired = { id: (expiring as { id: string }).id, token };
    const malformed = { id: "%E0%A4%A", token };
    for (const method of ["GET", "DELETE"]) {
      const replies = await Promise.all(
        [foreign, unknown, expired, malformed].map((one) =>
          service.send(`${PATH}/${one.id}`, { method, token: one.token }),
        ),
      );
      const seen = replies.map(({ status, headers, body }) => {
        const { "x-request-id": requestId, date: _, ...rest } = headers;
        return JSON.stringify([status, rest, body.toString().replace(String(requestId), "")]);
      });
      expect(new Set(seen).size).toBe(1);
      expect(envelopeOf(replies[0] as Reply)).toMatchObject({ code: "not_found" });
    }
    expect((await service.send(`${PATH}/${HELLO_ID}`, { token })).status).toBe(200);
  });

  it("is the same whether it is sent as a page, a ZIP file or a form", async () => {
    const { send, customer, service } = await openService();
    const { token } = await customer();
    const zip = zipOf([{ name: "site/index.html", bytes: HELLO }]);
    const zipped = await upload({ send }, zip, { token, type: "application/zip" });
    expect(jsonOf(zipped)).toEqual({ ...HELLO_DOCUMENT, content_type: "application/zip" });
    // it keeps the type of its first upload
    const form = new FormData();
    form.append("files", new Blob([HELLO]), "index.html");
    const sent = await fetch(`${service.origin}${PATH}`, {
      method: "POST",
      body: form,
      headers: { Authorization: `Bearer ${token}` },
    });
    expect([sent.status, await sent.json()]).toEqual([
      201,
      { ...HELLO_DOCUMENT, content_type: "application/zip" },
    ]);
    form.append("files", new Blob(["p {}"]), "a/style.css");
    const larger = await fetch(`${service.origin}${PATH}?documentTtl=3600`, {
      method: "POST",
      body: form,
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(await larger.json()).toMatchObject({
      content_type: "multipart/form-data",
      bytes: 16,
      files: 2,
      expires_at: "2026-03-01T13:00:00.000Z",
    });
  });

  it("can be Markdown, which is converted to HTML", async () => {
    const service = await openService();
    const { token, id: accountId } = await service.customer();
    const reply = await upload(service, "# Report", { token, type: "text/markdown; charset=UTF-8" });
    expect(reply.status).toBe(201);
    const { id, content_type } = jsonOf(reply) as { id: string; content_type: string };
    expect(content_type).toBe("text/markdown");
    const key = { accountId, id, path: "index.html", now: service.clock.now() };
    const page = await service.storage.documents.readFile(key);
    expect(Buffer.from(page?.bytes ?? []).toString()).toContain('<h1 id="report">Report</h1>');
  });
});

describe("an upload", () => {
  it.each<[string, string, Record<string, string>, string]>([
    [
      "has an unsupported type",
      "text/plain",
      {},
      "text/html, text/markdown, application/zip, multipart/form-data",
    ],
    ["has no type", "", {}, "text/html, text/markdown, application/zip, multipart/form-data"],
    ["has an unsupported charset", 'text/html; charset="ISO-8859-1"', {}, "UTF-8"],
    ["is compressed", "text/html", { "Content-Encoding": "gzip" }, "Content-Encoding"],
    ["is declared as a ZIP file but is not one", "application/zip", {}, "well-formed ZIP"],
    ["is declared as a form but is not one", "multipart/form-data; boundary=x", {}, "well-formed multipart"],
  ])("is rejected if it %s", async (_, type, headers, message) => {
    const service = await openService();
    const { token, id: accountId } = await service.customer();
    const reply = await upload(service, HELLO, { token, type, headers });
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply)).toEqual({
      code: "validation_failed",
      message: expect.any(String),
      errors: { body: [expect.stringContaining(message)] },
      request_id: reply.headers["x-request-id"],
    });
    expect(reply.headers["x-credits-remaining"]).toBe("1000");
    expect(await service.storage.documents.deleteAccount({ accountId, now: 0 })).toBe(0);
  });

  it("is rejected with the name of the file at fault", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const page = { name: "index.html", bytes: HELLO };
    for (const [entry, message] of [
      [{ name: "../up.css" }, "must have a path without empty, . or .. segments"],
      [{ name: "link", mode: 0o120777 }, "must be a regular file, not a link or a device"],
      [{ name: "bad.css", bytes: Buffer.from([0xff]) }, "must be encoded as UTF-8"],
      [{ name: "index.html" }, "is sent more than once"],
    ] as const) {
      const reply = await upload(service, zipOf([page, entry]), { token, type: "application/zip" });
      expect(reply.status).toBe(422);
      expect(envelopeOf(reply).errors).toEqual({ [entry.name]: [message] });
    }
    const bomb = zipOf([page, { name: "bomb", bytes: new Uint8Array(60_000_000) }]);
    const reply = await upload(service, bomb, { token, type: "application/zip" });
    expect(reply.status).toBe(413);
    expect(envelopeOf(reply)).toMatchObject({
      code: "payload_too_large",
      errors: { bomb: ["exceeds the limit of 52428800 bytes for all files together"] },
    });
  });

  it.each([
    ["documentTtl=59", "documentTtl", "must be an integer from 60 to 2592000"],
    ["documentTtl=2592001", "documentTtl", "must be an integer from 60 to 2592000"],
    ["documentTtl=", "documentTtl", "must be an integer from 60 to 2592000"],
    ["documentTtl=1e3", "documentTtl", "must be an integer from 60 to 2592000"],
    ["documentTtl=60&documentTtl=60", "documentTtl", "must be sent only once"],
    ["documentTTL=60", "documentTTL", "is not a parameter; did you mean documentTtl?"],
    ["__proto__=60", "__proto__", "is not a parameter"],
  ])("is rejected with ?%s", async (query, name, message) => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await upload(service, HELLO, { token, query: `?${query}` });
    expect(reply.status).toBe(422);
    expect(Object.entries(envelopeOf(reply).errors ?? {})).toEqual([[name, [message]]]);
  });

  it("is rejected for unknown tokens and unverified or suspended accounts, but needs no plan", async () => {
    const service = await openService();
    for (const token of [undefined, "1|wrong"])
      expect((await upload(service, HELLO, token === undefined ? {} : { token })).status).toBe(401);
    const { token } = await service.customer({ verified: false });
    for (const [path, method] of [
      [PATH, "POST"],
      [`${PATH}/${HELLO_ID}`, "GET"],
      [`${PATH}/${HELLO_ID}`, "DELETE"],
    ] as const)
      expect(envelopeOf(await service.send(path, { method, token })).code).toBe("email_unverified");
    const suspended = await service.customer();
    await service.engine.accounts.suspend(suspended.id);
    expect(envelopeOf(await upload(service, HELLO, suspended)).code).toBe("account_suspended");
    // uploads need no plan, no credits and no particular ability
    const poor = await service.customer({ planSlug: null, abilities: ["pdf"] });
    expect((await upload(service, HELLO, poor)).status).toBe(201);
  });

  it("is rejected beyond 60 a minute, with the headers of that limit", async () => {
    const service = await openService();
    const { token } = await service.customer();
    for (let count = 0; count < 60; count += 1)
      expect((await upload(service, HELLO, { token })).status).toBe(201);
    const reply = await upload(service, "x".repeat(1_000_000), { token });
    expect(reply.status).toBe(429);
    expect(envelopeOf(reply).code).toBe("rate_limited");
    expect(reply.headers).toMatchObject({
      "retry-after": "60",
      "x-ratelimit-limit": "60",
      "x-ratelimit-remaining": "0",
      "x-credits-remaining": "1000",
    });
    // renders have a separate limit
    expect((await service.snap({ url: "https://example.com/" }, { token })).status).toBe(200);
  });
});

describe("an upload of more than 10 MiB", () => {
  it("is rejected, even in chunks, unlike one of exactly 10 MiB", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const chunked = { "Transfer-Encoding": "chunked" };
    expect((await upload(service, "x".repeat(BODY_MAX_BYTES), { token, headers: chunked })).status).toBe(201);
    for (const headers of [{}, chunked]) {
      const reply = await upload(service, "x".repeat(BODY_MAX_BYTES + 1), { token, headers });
      expect(reply.status).toBe(413);
      expect(envelopeOf(reply).code).toBe("payload_too_large");
      expect(reply.headers).toMatchObject({ connection: "close", "x-credits-remaining": "1000" });
    }
  });

  it("is rejected before it arrives, based on its Content-Length", async () => {
    const { sendRaw, customer } = await openService();
    const { token } = await customer();
    const response = await sendRaw(
      `POST /v1/documents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: text/html\r\nContent-Length: ${BODY_MAX_BYTES + 1}\r\n\r\n`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
    expect(response).toContain('"code":"payload_too_large"');
  });
});

describe("an upload that does not end", () => {
  it("leaves nothing behind if its connection is closed or it times out, and does not block others", async () => {
    const opened = await openService();
    const { token, id: accountId } = await opened.customer();
    const { engine } = opened;
    const logger = createLogger("silent");
    const app = createApp({ engine, publicUrl: "https://snap.example.com", logger, metrics: false });
    const server = createServer({ requestTimeout: 300, connectionsCheckingInterval: 50 }, app);
    const port = await listen(server);
    const begin = () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(
        `POST /v1/documents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n${HELLO}`,
      );
      return { socket, closed: once(socket.resume(), "close") };
    };
    // as many as an account may send at once
    const [stalled, dropped] = [begin(), begin()];
    await once(dropped.socket, "connect");
    dropped.socket.destroy();
    await stalled.closed;
    const reply = await fetch(`http://127.0.0.1:${port}${PATH}`, {
      method: "POST",
      body: HELLO,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "text/html" },
    });
    expect(reply.status).toBe(201);
    expect(await opened.storage.documents.deleteAccount({ accountId, now: 0 })).toBe(1);
  });
});

describe("the methods for documents", () => {
  it("are POST on /v1/documents, and GET, HEAD and DELETE on a document", async () => {
    const { send, customer } = await openService();
    const { token } = await customer();
    for (const [path, allow, methods] of [
      [PATH, "POST, OPTIONS", ["GET", "HEAD", "PUT", "DELETE"]],
      [`${PATH}/${HELLO_ID}`, "GET, HEAD, DELETE, OPTIONS", ["POST", "PUT", "PATCH"]],
    ] as const) {
      for (const method of methods) {
        const reply = await send(path, { method, token });
        expect([reply.status, reply.headers.allow]).toEqual([405, allow]);
      }
      const options = await send(path, { method: "OPTIONS" });
      expect([options.status, options.headers.allow]).toEqual([204, allow]);
      expect(options.headers["access-control-allow-origin"]).toBeUndefined();
    }
    const refused = envelopeOf(await send(`${PATH}/${HELLO_ID}`, { method: "POST", token }));
    expect(refused).toMatchObject({
      code: "method_not_allowed",
      message: "Method not allowed; use GET, HEAD or DELETE.",
    });
    for (const path of [`${PATH}/`, `${PATH}/${HELLO_ID}/`, `${PATH}/a/b`])
      expect((await send(path, { token })).status).toBe(404);
  });
});
