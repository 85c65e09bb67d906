import { describe, expect, it } from "vitest";
import { floodUntilClosed } from "./flood.ts";
import { submit } from "./batches.ts";
import { envelopeOf, openService } from "./open-service.ts";

/*
 * The body of a submission: its type, encoding, syntax, size and nesting.
 */

const url = "https://example.com/";
const text = JSON.stringify({ items: [{ url }] });
const BODY_MAX_BYTES = 256 * 1024;

/** Nested so deeply that recursive code would overflow the stack. */
function nest(open: string, close: string): string {
  const depth = 19_000;
  return open.repeat(depth) + close.repeat(depth);
}

describe("the body of a submission", () => {
  it.each([
    "application/json",
    "Application/JSON",
    "application/json;charset=utf-8",
    'application/json ; charset="UTF-8"',
    "application/json; charset=utf-8; profile=x",
  ])("can have the type %s", async (type) => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await submit(service, null, { token, body: text, headers: { "Content-Type": type } });
    expect(reply.status).toBe(202);
  });

  it.each<[string, string | Buffer, Record<string, string>]>([
    ["a byte order mark", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]), {}],
    ["whitespace around it", ` \r\n\t${text}\n`, {}],
    ["Content-Encoding: identity", text, { "Content-Encoding": "identity" }],
    ["a size of exactly 256 KiB", text + " ".repeat(BODY_MAX_BYTES - text.length), {}],
    [
      "a size of exactly 256 KiB, in chunks",
      text + " ".repeat(BODY_MAX_BYTES - text.length),
      { "Transfer-Encoding": "chunked" },
    ],
  ])("can have %s", async (_name, body, headers) => {
    const service = await openService();
    const { token } = await service.customer();
    expect((await submit(service, null, { token, body, headers })).status).toBe(202);
  });

  it.each<[string, string | Buffer, Record<string, string>, RegExp]>([
    ["sent as text/plain", text, { "Content-Type": "text/plain" }, /Content-Type: application\/json/],
    ["a form", "items=1", { "Content-Type": "application/x-www-form-urlencoded" }, /application\/json/],
    [
      "sent with a different JSON media type",
      text,
      { "Content-Type": "application/problem+json" },
      /application\/json/,
    ],
    ["sent as application/json5", text, { "Content-Type": "application/json5" }, /application\/json/],
    ["sent with an empty Content-Type", text, { "Content-Type": "" }, /application\/json/],
    ["compressed", text, { "Content-Encoding": "gzip" }, /Content-Encoding/],
    ["empty", "", {}, /well-formed/],
    ["truncated", text.slice(0, -1), {}, /well-formed/],
    ["JSON with a trailing comma", '{"items":[],}', {}, /well-formed/],
    ["two JSON values", `${text}${text}`, {}, /well-formed/],
    ["JSON with NaN", '{"items":NaN}', {}, /well-formed/],
    ["invalid UTF-8", Buffer.from('{"items":"\xff"}', "latin1"), {}, /UTF-8/],
    ["UTF-16", Buffer.from(text, "utf16le"), {}, /well-formed/],
    ["an array", "[]", {}, /object/],
    ["null", "null", {}, /object/],
    ["a string", '"items"', {}, /object/],
    ["a number", "7", {}, /object/],
    ["unclosed arrays", "[".repeat(19_000), {}, /well-formed/],
    ["deeply nested arrays", nest("[", "]"), {}, /object/],
  ])("is rejected if it is %s", async (_name, body, headers, problem) => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await submit(service, null, { token, body, headers });
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply)).toEqual({
      code: "validation_failed",
      message: expect.any(String),
      errors: { body: [expect.stringMatching(problem)] },
      request_id: reply.headers["x-request-id"],
    });
    expect(reply.headers["x-credits-remaining"]).toBe("1000");
  });

  it("is rejected without a Content-Type", async () => {
    const { send, customer } = await openService();
    const { token } = await customer();
    const reply = await send("/v1/renders", { method: "POST", token, body: text });
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply).errors).toEqual({ body: [expect.stringContaining("application/json")] });
  });

  it.each([
    ["items", `{"items":${nest("[", "]")}}`, "items.0"],
    ["a parameter", `{"items":[{"url":${nest("[", "]")}}]}`, "items.0.url"],
    [
      "an unknown parameter",
      `{"items":[{"url":"${url}","x":${nest('{"a":', "}").replace("}", "1}")}}]}`,
      "items.0.x",
    ],
    ["the webhook", `{"items":[{"url":"${url}"}],"webhookUrl":${nest("[", "]")}}`, "webhookUrl"],
  ])("is rejected if %s is deeply nested", async (_name, body, problem) => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await submit(service, null, { token, body });
    expect(reply.status).toBe(422);
    expect(Object.keys(envelopeOf(reply).errors ?? {})).toEqual([problem]);
  });
});

describe("a submission of more than 256 KiB", () => {
  it.each<[string, number, Record<string, string>]>([
    ["just over the limit", BODY_MAX_BYTES + 1, {}],
    ["far over the limit", 4 * BODY_MAX_BYTES, {}],
    ["just over the limit, in chunks", BODY_MAX_BYTES + 1, { "Transfer-Encoding": "chunked" }],
  ])("is rejected with 413 if it is %s", async (_name, bytes, headers) => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await submit(service, null, { token, body: text.padEnd(bytes), headers });
    expect(reply.status).toBe(413);
    expect(envelopeOf(reply).code).toBe("payload_too_large");
    expect(reply.headers).toMatchObject({ connection: "close", "x-credits-remaining": "1000" });
    const { queuedItems } = await service.engine.batches.stats();
    expect(queuedItems).toBe(0);
  });

  it("is rejected before its body arrives, based on its Content-Length", async () => {
    const { sendRaw, customer } = await openService();
    const { token } = await customer();
    const response = await sendRaw(
      `POST /v1/renders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${BODY_MAX_BYTES + 1}\r\n\r\n`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
    expect(response).toContain('"code":"payload_too_large"');
  });

  it("is cut off if it is endless, without affecting other requests", async () => {
    const { service, send, customer } = await openService();
    const { token } = await customer();
    await floodUntilClosed(service.origin, {
      head: `POST /v1/renders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      block: `10000\r\n${" ".repeat(65_536)}\r\n`,
    });
    expect((await send("/healthz")).status).toBe(200);
  });
});

describe("a request without valid credentials", () => {
  it.each<[string, string, Record<string, string>]>([
    ["malformed", "{", {}],
    ["sent with the wrong Content-Type", text, { "Content-Type": "text/plain" }],
    ["too large", text.padEnd(BODY_MAX_BYTES + 1), {}],
    ["valid", text, {}],
  ])("gets a 401 even if its body is %s", async (_name, body, headers) => {
    const service = await openService();
    for (const token of ["", "1|wrong"]) {
      const reply = await submit(service, null, { token, body, headers });
      expect(reply.status).toBe(401);
      expect(envelopeOf(reply).code).toBe("unauthenticated");
    }
  });

  it("leaves the connection reusable", async () => {
    const { sendRaw } = await openService();
    const responses = await sendRaw(
      `POST /v1/renders HTTP/1.1\r\nHost: x\r\nContent-Length: ${text.length}\r\n\r\n${text}` +
        "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    expect(responses).toMatch(/^HTTP\/1\.1 401 [^]*HTTP\/1\.1 200 OK/);
  });
});
