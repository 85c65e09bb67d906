import { describe, expect, it } from "vitest";
import { openAdmin, ORIGIN } from "../admin/open-admin.ts";
import { floodUntilClosed } from "./flood.ts";
import { openService } from "./open-service.ts";

/*
 * The number of pieces in which a body arrives. Each takes time and memory, however small it is.
 */

const PIECE = "1\r\n \r\n";
const JSON_TYPE = "Content-Type: application/json\r\n";

function encodeChunked(text: string, chunkBytes: number): string {
  const chunks = text.match(new RegExp(`.{1,${chunkBytes}}`, "gs")) ?? [];
  return [...chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`), "0\r\n\r\n"].join("");
}

function post(path: string, headers: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: snap.example.com\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n${headers}\r\n`;
}

describe("a body in more than 1,000 pieces of one byte", () => {
  const forms: readonly [string, (token: string) => string][] = [
    ["a batch", (token) => post("/v1/renders", `${JSON_TYPE}Authorization: Bearer ${token}\r\n`)],
    ["a capture", (token) => post("/v1/captures", `${JSON_TYPE}Authorization: Bearer ${token}\r\n`)],
    [
      "a document",
      (token) => post("/v1/documents", `Content-Type: text/html\r\nAuthorization: Bearer ${token}\r\n`),
    ],
    ["a message", (token) => post("/mcp", `${JSON_TYPE}Authorization: Bearer ${token}\r\n`)],
    ["a batch without a token", () => post("/v1/renders", JSON_TYPE)],
    ["a sign-in", () => post("/admin/v1/sign-in", `${JSON_TYPE}Origin: ${ORIGIN}\r\n`)],
    ["a request that needs no body", () => post("/v1/snap", "").replace("POST", "GET")],
  ];

  it.each(forms)("is rejected with 413, and the connection closes: %s", async (_name, headOf) => {
    const { sendRaw, customer } = await openAdmin();
    const { token } = await customer();
    const response = await sendRaw(`${headOf(token)}${PIECE.repeat(1_100)}0\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
    expect(response).toContain("Connection: close\r\n");
    expect(JSON.parse(response.slice(response.indexOf("\r\n\r\n")))).toEqual({
      code: "payload_too_large",
      message: "Request body sent in too many small pieces; send it in chunks of at least 1 KiB.",
      request_id: expect.any(String),
    });
  });

  it("is cut off if it is endless, without affecting other requests", async () => {
    const { service, send, customer } = await openService();
    const { token } = await customer();
    await floodUntilClosed(service.origin, {
      head: post("/v1/documents", `Content-Type: text/html\r\nAuthorization: Bearer ${token}\r\n`),
      block: PIECE.repeat(10_000),
    });
    expect((await send("/healthz")).status).toBe(200);
  });
});

describe("a body in small pieces", () => {
  const submit = async (body: string): Promise<string> => {
    const { sendRaw, customer } = await openService();
    const { token } = await customer();
    return sendRaw(post("/v1/renders", `${JSON_TYPE}Authorization: Bearer ${token}\r\n`) + body);
  };
  const text = JSON.stringify({ items: [{ url: "https://example.com/" }] });

  it("can have 1,000 pieces of one byte", async () => {
    const body = encodeChunked(text.padStart(1_000), 1);
    expect(await submit(body)).toMatch(/^HTTP\/1\.1 202 /);
  });

  it("can have pieces of 32 bytes, up to the limit on its size", async () => {
    expect(await submit(encodeChunked(text.padEnd(256 * 1024), 32))).toMatch(/^HTTP\/1\.1 202 /);
  });

  it("can be a form of 10 MB in pieces of 1 KB", async () => {
    const { sendRaw, customer, send } = await openService();
    const { token } = await customer();
    const page = Array.from({ length: 1_000_000 }, (_, index) => `<p>${index}`)
      .join("\n")
      .slice(0, 10_000_000);
    const form = `--b\r\nContent-Disposition: form-data; name="f"; filename="index.html"\r\n\r\n${page}\r\n--b--\r\n`;
    const head = `Content-Type: multipart/form-data; boundary=b\r\nAuthorization: Bearer ${token}\r\n`;
    const response = await sendRaw(post("/v1/documents", head) + encodeChunked(form, 1_000));
    expect(response).toMatch(/^HTTP\/1\.1 201 /);
    const { id } = JSON.parse(response.slice(response.indexOf("\r\n\r\n"))) as { id: string };
    const stored = await send("/v1/documents", {
      method: "POST",
      token,
      headers: { "Content-Type": "text/html" },
      body: page,
    });
    // the same bytes are the same document
    expect((JSON.parse(stored.body.toString()) as { id: string }).id).toBe(id);
  });
});
