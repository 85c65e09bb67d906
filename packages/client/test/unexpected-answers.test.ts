import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createClient, type SnapClient } from "../src/index.ts";
import { failureOf } from "./failure-of.ts";
import { html, openRawServer, png, recordWaits, TOKEN, type Answer } from "./raw-server.ts";

const PAGE = { url: "https://example.com/" } as const;
const SECRET = "ThisIsTheSecretPartOfATokenForTheseTests01";

function clientOf(origin: string): SnapClient {
  return createClient({ baseUrl: origin, token: TOKEN, pacing: recordWaits(), maxRetries: 0 });
}

describe("an answer that isn't the service's", () => {
  it("keeps its status and the start of its body", async () => {
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
    ["JSON that is no envelope", "application/json", '{"error":"nope"}'],
    ["a list", "application/json", '[{"code":"x","message":"y"}]'],
    ["null", "application/json", "null"],
    ["nothing", "text/plain", ""],
  ] as const)("is told apart from an envelope: %s", async ([, type, body]) => {
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

  it("is also a 200 that is no rendering, such as a login page", async () => {
    const { origin } = await openRawServer(html(200, "<h1>Please log in</h1>"));
    for (const as of ["bytes", "stream", "response"] as const) {
      const failure = await failureOf(clientOf(origin).screenshot(PAGE, { as }));
      expect(failure).toMatchObject({ code: "unexpected_answer", status: 200 });
      expect(failure.message).toContain("Please log in");
    }
  });

  it.for(["not JSON", '{"other":1}', "[]"])("is also a 200 that is no document: %s", async (body) => {
    const { origin } = await openRawServer((response) => response.end(body));
    expect(await failureOf(clientOf(origin).usage())).toMatchObject({
      code: "unexpected_answer",
      status: 200,
    });
  });

  it("is also a 304 that was not asked for", async () => {
    const { origin } = await openRawServer((response) => response.writeHead(304).end());
    const failure = await failureOf(clientOf(origin).screenshot(PAGE));
    expect(failure).toMatchObject({ code: "unexpected_answer", status: 304 });
  });

  it("is read no further than its start when it never ends", async () => {
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
  it.for([301, 302, 307, 308])("%i is not followed, and the token goes nowhere else", async (status) => {
    const elsewhere = await openRawServer(png);
    const { origin } = await openRawServer((response) => {
      response.writeHead(status, { Location: `${elsewhere.origin}/v1/snap?secret=1` }).end();
    });
    const failure = await failureOf(clientOf(origin).screenshot(PAGE));
    expect(failure).toMatchObject({ code: "unexpected_answer", status });
    expect(failure.message).toBe(
      `${origin} answered a redirect, which is not followed: set baseUrl to the final address`,
    );
    expect(elsewhere.requests).toHaveLength(0);
  });

  it("that a browser hides is told by its missing status", async () => {
    const hidden = async (): Promise<Response> => Response.error();
    const snap = createClient({ baseUrl: "https://snap.example.com", token: TOKEN, fetch: hidden });
    const failure = await failureOf(snap.usage());
    expect(failure).toMatchObject({ code: "unexpected_answer", status: 0 });
    expect(failure.message).toContain("https://snap.example.com answered a redirect");
  });
});

describe("the token", () => {
  const echo: Answer = (response, request) => {
    response.writeHead(500, { "Content-Type": "text/plain" });
    response.end(`Your request: ${JSON.stringify(request.headers)}`);
  };

  it("is in no error, even where a proxy echoes the request", async () => {
    const { origin } = await openRawServer(echo);
    const failure = await failureOf(clientOf(origin).screenshot(PAGE));
    expect(failure.message).toContain("Bearer 7|[token]");
    expect(`${failure.stack ?? ""}${JSON.stringify(failure)}`).not.toContain(SECRET);
  });

  it("is in no error of a fetch that tells too much", async () => {
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

describe("a token that comes back", () => {
  it.for([
    ["plainly", `{"code":"x","message":"Bearer ${TOKEN}"}`, {}],
    ["in escapes", `{"code":"x","message":"Bearer ${escaped(TOKEN)}"}`, {}],
    ["in the faults", `{"code":"x","message":"y","errors":{"url":["${escaped(TOKEN)}"]}}`, {}],
    ["in a header", '{"code":"x","message":"y"}', { "X-Request-Id": TOKEN }],
    ["in a page", `<p>${TOKEN}</p>`, {}],
  ] as const)("%s is in no part of the error", async ([, body, headers]) => {
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
