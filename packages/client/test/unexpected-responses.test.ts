import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createClient, type SnapClient } from "../src/index.ts";
import { failureOf } from "./failure-of.ts";
import { html, openRawServer, png, recordWaits, TOKEN, type Responder } from "./raw-server.ts";

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
    ["nothing", "text/plain", ""],
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

  it.for(["not JSON", '{"other":1}', "[]"])("can be a 200 that is not a document: %s", async (body) => {
    const { origin } = await openRawServer((response) => response.end(body));
    expect(await failureOf(clientOf(origin).usage())).toMatchObject({
      code: "unexpected_answer",
      status: 200,
    });
  });

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

  it("is recognized by status 0 in browsers, which hide it", async () => {
    const hidden = async (): Promise<Response> => Response.error();
    const snap = createClient({ baseUrl: "https://snap.example.com", token: TOKEN, fetch: hidden });
    const failure = await failureOf(snap.usage());
    expect(failure).toMatchObject({ code: "unexpected_answer", status: 0 });
    expect(failure.message).toContain("https://snap.example.com sent a redirect");
  });
});

describe("the token", () => {
  const echo: Responder = (response, request) => {
    response.writeHead(500, { "Content-Type": "text/plain" });
    response.end(`Your request: ${JSON.stringify(request.headers)}`);
  };

  it("is not in an error, even if a proxy echoes the request", async () => {
    const { origin } = await openRawServer(echo);
    const failure = await failureOf(clientOf(origin).screenshot(PAGE));
    expect(failure.message).toContain("Bearer 7|[token]");
    expect(`${failure.stack ?? ""}${JSON.stringify(failure)}`).not.toContain(SECRET);
  });

  it("is not in an error, even if fetch quotes it", async () => {
    const snap = createClient({
      baseUrl: "https://snap.example.com",
      token: TOKEN,
      maxRetries: 0,
      fetch: async (_input, init) => {
        throw new Error(`cannot send ${new Headers(init?.headers).get("authorization") ?? ""}`);
      },
    });
    expect((await failureOf(snap.screenshot(PAGE))).message).not.toContain(SECRET);
  });
});

describe("an echoed token", () => {
  it.for([
    ["in plain text", `{"code":"x","message":"Bearer ${TOKEN}"}`, {}],
    ["in JSON escapes", `{"code":"x","message":"Bearer ${escaped(TOKEN)}"}`, {}],
    ["in the faults", `{"code":"x","message":"y","errors":{"url":["${escaped(TOKEN)}"]}}`, {}],
    ["in a header", '{"code":"x","message":"y"}', { "X-Request-Id": TOKEN }],
    ["in a page", `<p>${TOKEN}</p>`, {}],
  ] as const)("%s is not in any part of the error", async ([, body, headers]) => {
    const { origin } = await openRawServer((response) => {
      response.writeHead(500, { "Content-Type": "application/json", ...headers });
      response.end(body);
    });
    const failure = await failureOf(clientOf(origin).screenshot(PAGE));
    const secret = TOKEN.slice(TOKEN.indexOf("|") + 1);
    expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain(secret);
  });
});

function escaped(text: string): string {
  return Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join(
    "",
  );
}
