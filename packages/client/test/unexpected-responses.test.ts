import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createClient, type SnapClient } from "../src/index.ts";
import { failureOf } from "./failure-of.ts";
import { html, openRawServer, png, recordWaits, TOKEN } from "./raw-server.ts";

const PAGE = { url: "https://example.com/" } as const;
const SECRET = "ThisIsTheSecretPartOfATokenForTheseTests01";

function clientOf(origin: string): SnapClient {
  return createClient({ baseUrl: origin, token: TOKEN, pacing: recordWaits(), maxRetries: 0 });
}

describe("a response that is not from the service", () => {
  it("is reported with its status and the start of its body", async () => {
    const { origin } = await openRawServer(
      html(502, `<html>\n <h1>Bad   Gateway</h1>${"x".repeat(100_000)}`),
    );
    const failure = await failureOf(clientOf(origin).screenshot(PAGE));
    expect(failure).toMatchObject({ code: "unexpected_answer", status: 502, requestId: null });
    expect(failure.message).toContain("<html> <h1>Bad Gateway</h1>xxx");
    expect(failure.message.length).toBeLessThan(400);
  });

  it.for([
    ["text", "text/plain", "upstream connect error"],
    ["JSON that is not an envelope", "application/json", '{"error":"nope"}'],
    ["a list", "application/json", '[{"code":"x","message":"y"}]'],
    ["null", "application/json", "null"],
    ["an empty body", "text/plain", ""],
  ] as const)("is not mistaken for an envelope: %s", async ([, type, body]) => {
    const { origin } = await openRawServer((response) => {
      response.writeHead(500, { "Content-Type": type, "X-Request-Id": "abc" });
      response.end(body);
    });
    expect(await failureOf(clientOf(origin).screenshot(PAGE))).toMatchObject({
      code: "unexpected_answer",
      status: 500,
      requestId: "abc",
    });
  });

  it("can be a 200 that is not a rendering, such as a login page", async () => {
    const { origin } = await openRawServer(html(200, "<h1>Please log in</h1>"));
    for (const as of ["bytes", "stream", "response"] as const) {
      const failure = await failureOf(clientOf(origin).screenshot(PAGE, { as }));
      expect(failure).toMatchObject({ code: "unexpected_answer", status: 200 });
      expect(failure.message).toContain("Please log in");
    }
  });

  it.for(["not JSON", '{"other":1}', '{"credits":null}', "[]"])(
    "can be a 200 with an unexpected body: %s",
    async (body) => {
      const { origin } = await openRawServer((response) => response.end(body));
      expect(await failureOf(clientOf(origin).usage())).toMatchObject({
        code: "unexpected_answer",
        status: 200,
      });
    },
  );

  it("can be a 304 to a request without If-None-Match", async () => {
    const { origin } = await openRawServer((response) => response.writeHead(304).end());
    const failure = await failureOf(clientOf(origin).screenshot(PAGE));
    expect(failure).toMatchObject({ code: "unexpected_answer", status: 304 });
  });

  it("is read only up to a limit", async () => {
    const { origin } = await openRawServer((response) => {
      response.writeHead(503, { "Content-Type": "text/html" });
      const pour = (): void => {
        while (response.write("x".repeat(16_384)));
      };
      response.on("drain", pour);
      pour();
    });
    expect(await failureOf(clientOf(origin).screenshot(PAGE))).toMatchObject({
      code: "unexpected_answer",
      status: 503,
    });
  });
});

describe("a redirect", () => {
  it.for([301, 302, 307, 308])("with status %i is not followed, to protect the token", async (status) => {
    const other = await openRawServer(png);
    const { origin } = await openRawServer((response) => {
      response.writeHead(status, { Location: `${other.origin}/v1/snap?secret=1` }).end();
    });
    const failure = await failureOf(clientOf(origin).screenshot(PAGE));
    expect(failure).toMatchObject({ code: "unexpected_answer", status });
    expect(failure.message).toBe(`${origin} sent a redirect; set baseUrl to the final address.`);
    expect(other.requests).toHaveLength(0);
  });

  it("is not inferred from a Location header, which a 202 also has", async () => {
    const { origin } = await openRawServer((response) => {
      response.writeHead(202, { Location: "/v1/renders/batch_1" }).end("<h1>Scanned</h1>");
    });
    const failure = await failureOf(clientOf(origin).batches.submit({ items: [PAGE] }));
    expect(failure.message).toBe(`${origin} sent an unexpected response with status 202: <h1>Scanned</h1>`);
  });

  it("is recognized by status 0 in browsers, which hide the real status", async () => {
    const hidden = async (): Promise<Response> => Response.error();
    const snap = createClient({ baseUrl: "https://snap.example.com", token: TOKEN, fetch: hidden });
    const failure = await failureOf(snap.usage());
    expect(failure).toMatchObject({ code: "unexpected_answer", status: 0 });
    expect(failure.message).toContain("https://snap.example.com sent a redirect");
  });
});

describe("the token", () => {
  it("is not in an error, even if fetch quotes it", async () => {
    const snap = createClient({
      baseUrl: "https://snap.example.com",
      token: TOKEN,
      maxRetries: 0,
      fetch: async (_input, init) => {
        const headers = new Headers(init?.headers);
        const text = `cannot send ${headers.get("authorization") ?? ""}`;
        const cause = Object.assign(new RangeError(text), { code: "ERR_HEADERS", errno: -7, header: text });
        throw Object.assign(new TypeError(text, { cause }), { request: { headers } });
      },
    });
    const failure = await failureOf(snap.screenshot(PAGE));
    expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain(SECRET);
    const message = "cannot send Bearer 7|[token]";
    const cause = { name: "RangeError", message, code: "ERR_HEADERS" };
    expect(failure.cause).toMatchObject({ name: "TypeError", message, cause });
    expect(failure.cause).toHaveProperty("stack", expect.stringContaining("unexpected-responses.test.ts"));
  });

  it("is not in an error whose cause is circular or not an error", async () => {
    const circular: Error = new Error(TOKEN, { cause: { toString: () => TOKEN } });
    circular.cause = circular;
    for (const thrown of [circular, TOKEN]) {
      const fetch = (): Promise<never> => Promise.reject(thrown);
      const snap = createClient({ baseUrl: "https://snap.example.com", token: TOKEN, maxRetries: 0, fetch });
      expect(inspect(await failureOf(snap.usage()), { depth: 20 })).not.toContain(SECRET);
    }
  });

  it("is not in a rendering's metadata", async () => {
    const names = ["ETag", "X-Request-Id", "X-Render-Notes", "X-Stored-Location"];
    const { origin } = await openRawServer((response) => {
      const headers = Object.fromEntries(names.map((name) => [name, TOKEN]));
      response.writeHead(200, { "Content-Type": "image/png", ...headers }).end("an image");
    });
    const { etag, requestId, notes, storedLocation } = await clientOf(origin).screenshot(PAGE);
    const redacted = "7|[token]";
    expect([etag, requestId, notes, storedLocation]).toEqual([redacted, redacted, [redacted], redacted]);
  });
});

describe("an echoed token", () => {
  it.for([
    ["in plain text", `{"code":"x","message":"Bearer ${TOKEN}"}`, {}],
    ["in JSON escapes", `{"code":"x","message":"Bearer ${escaped(TOKEN)}"}`, {}],
    ["in the errors", `{"code":"x","message":"y","errors":{"url":["${escaped(TOKEN)}"]}}`, {}],
    ["in a header", '{"code":"x","message":"y"}', { "X-Request-Id": TOKEN }],
    ["in the notes", '{"code":"x","message":"y"}', { "X-Render-Notes": `a, ${TOKEN}` }],
    ["in a proxy's page", `<p>Authorization: Bearer ${TOKEN}</p>`, { "Content-Type": "text/html" }],
  ] as const)("%s is redacted in every part of the error", async ([, body, headers]) => {
    const { origin } = await openRawServer((response) => {
      response.writeHead(500, { "Content-Type": "application/json", ...headers });
      response.end(body);
    });
    const failure = await failureOf(clientOf(origin).screenshot(PAGE));
    const text = inspect(failure, { depth: 20, showHidden: true });
    expect(text).toContain("7|[token]");
    expect(text).not.toContain(SECRET);
  });
});

describe("a message", () => {
  const hostile = "a\u001b[31m\u009bb\u202ec\u2028d\0e\ud800f";
  const message = "a [31m b c d e f";

  it.for([
    ["an envelope", JSON.stringify({ code: "x", message: hostile, errors: { url: [hostile] } }), ""],
    ["a page", hostile, "sent an unexpected response with status 502: "],
  ] as const)("has no control or bidirectional characters: %s", async ([, body, prefix]) => {
    const { origin } = await openRawServer(html(502, body.toWellFormed()));
    const failure = await failureOf(clientOf(origin).screenshot(PAGE));
    expect(failure.message.replace(`${origin} `, "").replace("\uFFFD", " ")).toBe(`${prefix}${message}`);
    expect(failure.errors?.["url"] ?? [message]).toEqual([message]);
  });

  it("has no control or bidirectional characters if the connection fails", async () => {
    const fetch = (): Promise<never> => Promise.reject(new Error(hostile));
    const snap = createClient({ baseUrl: "https://snap.example.com", token: TOKEN, maxRetries: 0, fetch });
    expect((await failureOf(snap.usage())).message).toBe(
      `The connection to https://snap.example.com failed: ${message}`,
    );
  });
});

function escaped(text: string): string {
  return Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join(
    "",
  );
}
