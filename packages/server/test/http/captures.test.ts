import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { remainingRequests, submit } from "./batches.ts";
import {
  envelopeOf,
  openService,
  RESET_SECONDS,
  signedQuery,
  type Reply,
  type RequestOptions,
  type TestService,
} from "./open-service.ts";

const html = "<h1>Invoice 7</h1>";
const DOCUMENT_URL = /^https:\/\/documents\.snap\.invalid\/[0-9a-f]{64}\/$/;
const BODY_MAX_BYTES = 10 * 1024 * 1024;

/** `POST /v1/captures` with a JSON document. */
function capture(
  { send }: TestService,
  document: unknown,
  { headers, ...options }: RequestOptions = {},
): Promise<Reply> {
  return send("/v1/captures", {
    method: "POST",
    body: JSON.stringify(document),
    ...options,
    headers: { "Content-Type": "application/json", ...headers },
  });
}

/** Sends the headers of `POST /v1/captures`; `send` sends the body, and returns the status. */
function openCapture(
  { service }: TestService,
  { token, bytes }: { readonly token: string; readonly bytes: number },
): { readonly continued: Promise<unknown>; readonly send: (body: string) => Promise<number | undefined> } {
  const clientRequest = request(`${service.origin}/v1/captures`, {
    method: "POST",
    agent: false,
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "Content-Length": bytes,
      Expect: "100-continue",
    },
  });
  clientRequest.flushHeaders();
  const responded = once(clientRequest, "response") as Promise<[IncomingMessage]>;
  return {
    continued: once(clientRequest, "continue"),
    async send(body) {
      clientRequest.end(body);
      const [response] = await responded;
      response.resume();
      return response.statusCode;
    },
  };
}

describe("POST /v1/captures", () => {
  it("renders html with the headers of GET /snap, and then returns it from the cache", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const miss = await capture(service, { html, width: 800, height: 600 }, { token });
    expect(miss.status).toBe(200);
    expect(miss.headers).toMatchObject({
      "content-type": "image/png",
      "cache-control": "private, no-cache",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
      "x-cache": "MISS",
      "x-target-status": "200",
      "x-credits-limit": "1000",
      "x-credits-remaining": "999",
      "x-credits-reset": RESET_SECONDS,
      "x-ratelimit-limit": "1000",
      "x-ratelimit-remaining": "999",
    });
    expect(miss.body.toString("latin1", 1, 4)).toBe("PNG");
    expect(service.renderer.calls).toEqual([
      expect.objectContaining({ url: expect.stringMatching(DOCUMENT_URL), width: 800, height: 600 }),
    ]);
    const hit = await capture(service, { html, width: 800, height: 600 }, { token });
    expect(hit.headers).toMatchObject({ "x-cache": "HIT", "x-credits-remaining": "999" });
    expect(hit.body.equals(miss.body)).toBe(true);
    expect(service.renderer.calls).toHaveLength(1);
  });

  it("returns a PDF of markdown", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await capture(
      service,
      { markdown: "# Report", pdf: true, paperFormat: "letter" },
      { token },
    );
    expect(reply.headers["content-type"]).toBe("application/pdf");
    const page = await service.renderer.options[0]?.document?.readFile("index.html");
    expect(Buffer.from(page?.bytes ?? []).toString()).toContain("Report");
  });

  it("accepts no parameters in the query", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await service.send("/v1/captures?width=800", {
      method: "POST",
      body: JSON.stringify({ html }),
      token,
      headers: { "Content-Type": "application/json" },
    });
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply).errors).toEqual({ width: ["must be sent in the JSON body, not in the query"] });
    expect(service.renderer.calls).toEqual([]);
  });

  it("shares the cache with GET /v1/snap, for url and for a document's url", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const url = "https://example.com/";
    await service.snap({ url }, { token });
    expect((await capture(service, { url }, { token })).headers["x-cache"]).toBe("HIT");
    await capture(service, { html }, { token });
    const documentUrl = service.renderer.calls[1]?.url ?? "";
    expect((await service.snap({ url: documentUrl }, { token })).headers["x-cache"]).toBe("HIT");
  });

  it("is free for a caller that already has the rendering", async () => {
    const service = await openService();
    const { id, token } = await service.customer();
    const { headers } = await capture(service, { html }, { token });
    const left = await remainingRequests(service, { accountId: id, name: "cached" });
    const reply = await capture(
      service,
      { html },
      { token, headers: { "If-None-Match": String(headers.etag) } },
    );
    expect(reply.status).toBe(304);
    expect(reply.body).toHaveLength(0);
    expect(reply.headers).toMatchObject({
      etag: headers.etag,
      "x-cache": "HIT",
      "x-credits-remaining": "999",
    });
    // only the first call of remainingRequests() has counted
    expect(await remainingRequests(service, { accountId: id, name: "cached" })).toBe(left - 1);
  });

  it("accepts values as JSON types and as in a query, including structures and secrets", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const typed = { html, fullPage: true, scale: 2, headers: { "X-Key": "secret" } };
    await capture(service, typed, { token });
    const sent = { html, fullPage: "1", scale: "2", headers: '{"X-Key":"secret"}' };
    expect((await capture(service, sent, { token })).headers["x-cache"]).toBe("HIT");
    expect(service.renderer.calls).toEqual([
      expect.objectContaining({ fullPage: true, scale: 2, headers: { "x-key": "secret" } }),
    ]);
    expect(service.text()).not.toContain("secret");
  });

  it("does not cache with cache: false", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await capture(service, { html, cache: false }, { token });
    expect(reply.status).toBe(200);
    expect(reply.headers).not.toHaveProperty("x-cache");
  });
});

describe("the page of a capture", () => {
  const tooMany = ["cannot be combined with another page; send exactly one of url, html and markdown"];
  const notText = ["must be non-empty Unicode text"];

  it("is required", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await capture(service, { pdf: true }, { token });
    expect(reply.status).toBe(422);
    const errors = { url: ["is missing; send exactly one of url, html and markdown"] };
    expect(envelopeOf(reply)).toMatchObject({ code: "invalid_url", errors });
  });

  it("is rejected together with all other invalid parameters", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const missing = ["is missing; send exactly one of url, html and markdown"];
    for (const [document, errors] of [
      [
        { ulr: "http://127.0.0.1:47100/", widht: 5 },
        {
          url: missing,
          ulr: ["is not a parameter"],
          widht: ["is not a parameter; did you mean width?"],
        },
      ],
      [
        { fullPage: "maybe", answer: "xml" },
        { url: missing, fullPage: ["must be true or false"], answer: [expect.any(String)] },
      ],
      // without a page, there is no host that the cookie's domain could differ from
      [
        { scale: "9", cookies: [{ name: "a", value: "b", domain: "example.com" }] },
        { url: missing, scale: ["must be an integer from 1 to 3"] },
      ],
      [
        { html: "a", markdown: "b", width: "5", height: "5", foo: 1 },
        { html: tooMany, markdown: tooMany, foo: ["is not a parameter"] },
      ],
      [
        { html: 7, pdf: "1", scale: 9 },
        { html: notText, scale: ["must be a number from 0.1 to 2"] },
      ],
    ] as const) {
      const reply = await capture(service, document, { token });
      expect(reply.status).toBe(422);
      expect(envelopeOf(reply).code).toBe("validation_failed");
      expect(envelopeOf(reply).errors).toEqual(errors);
    }
  });

  it.each<[string, object, Record<string, string[]>]>([
    ["two pages", { html, markdown: "# Hi" }, { html: tooMany, markdown: tooMany }],
    ["html and a url", { html, url: "https://example.com/" }, { url: tooMany, html: tooMany }],
    ["not text", { html: 7 }, { html: notText }],
    ["null", { markdown: null }, { markdown: notText }],
    ["empty", { html: "" }, { html: notText }],
    ["not valid Unicode", { html: "\ud800" }, { html: notText }],
  ])("is rejected if it is %s", async (_what, document, errors) => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await capture(service, document, { token });
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply)).toMatchObject({ code: "validation_failed", errors });
    expect(reply.headers["x-credits-remaining"]).toBe("1000");
  });

  it("can be a url, with the same errors as for GET /snap", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const invalid = await capture(service, { url: "example.com" }, { token });
    expect(envelopeOf(invalid).code).toBe("invalid_url");
    const long = await capture(service, { url: `https://example.com/${"\u00a0".repeat(3000)}` }, { token });
    expect(envelopeOf(long)).toMatchObject({
      code: "invalid_url",
      errors: { url: ["must be at most 2048 characters long"] },
    });
    const blocked = await capture(service, { url: "http://127.0.0.1/" }, { token });
    expect(envelopeOf(blocked).code).toBe("blocked_host");
    const document = await capture(
      service,
      { url: `https://documents.snap.invalid/${"0".repeat(64)}/` },
      { token },
    );
    expect(envelopeOf(document).code).toBe("target_unreachable");
    expect(document.headers["x-credits-remaining"]).toBe("1000");
  });

  it.each(["html", "markdown"])(
    "can be %s, unlike the page of GET /snap, of a signed URL or of a batch item",
    async (name) => {
      const service = await openService();
      const { token, tokenId, signingSecret } = await service.customer();
      const page = { [name]: "# Invoice 7" };
      expect((await capture(service, page, { token })).status).toBe(200);
      const query = await service.snap(page, { token });
      expect(envelopeOf(query).errors).toMatchObject({ [name]: ["is not a parameter"] });
      const signed = await service.send(
        `/v1/snap/signed?${signedQuery({ ...page, tokenId }, signingSecret)}`,
      );
      expect(envelopeOf(signed).errors).toMatchObject({ [name]: ["is not a parameter"] });
      const batch = await submit(service, { items: [page] }, { token });
      expect(envelopeOf(batch).errors).toMatchObject({ [`items.0.${name}`]: ["is not a parameter"] });
    },
  );
});

describe("the body of a capture", () => {
  it.each<[string, string | Buffer, Record<string, string>, RegExp]>([
    ["sent as text/html", "html=1", { "Content-Type": "text/html" }, /Content-Type: application\/json/],
    ["not JSON", "{", {}, /well-formed/],
    ["an array", "[]", {}, /JSON object/],
    ["null", "null", {}, /JSON object/],
    ["empty", "", {}, /well-formed/],
  ])("is rejected if it is %s", async (_what, body, headers, problem) => {
    const service = await openService();
    const { token } = await service.customer();
    const reply = await capture(service, null, { token, body, headers });
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply).errors).toEqual({ body: [expect.stringMatching(problem)] });
  });

  it("can contain at most 20,000 values, because parsing blocks all requests", async () => {
    const service = await openService();
    const { token } = await service.customer();
    // three more: the object, its first member and the array
    const bodyOf = (elements: readonly unknown[]): string =>
      `{"html":"<p>\\"a,[{</p>","_":[${elements.join()}]}`;
    const errorsOf = async (body: string): Promise<unknown> =>
      envelopeOf(await capture(service, null, { token, body })).errors;
    const tooMany = { body: ["must contain at most 20000 values"] };
    expect(await errorsOf(bodyOf(Array.from({ length: 19_997 }, () => 0)))).toEqual({
      _: ["is not a parameter"],
    });
    expect(await errorsOf(bodyOf(Array.from({ length: 19_998 }, () => 0)))).toEqual(tooMany);
    for (const nested of ["[".repeat(5_000_000) + "]".repeat(5_000_000), '{"a":'.repeat(20_000)])
      expect(await errorsOf(bodyOf([nested]))).toEqual(tooMany);
  });

  it("can contain structures as JSON text of at most 60,000 characters", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const url = "https://example.com/";
    const messages = {
      headers: "must be an object of at most 20 header fields, as JSON",
      cookies: "must be an array of at most 20 cookies, as JSON",
    };
    const long = `{"X-A": "b"${" ".repeat(60_000 - 12)}}`;
    expect((await capture(service, { url, headers: long }, { token })).status).toBe(200);
    const members = `{${Array.from({ length: 700_000 }, (_, index) => `"${index}":0`).join()}}`;
    for (const [name, text] of [
      ["headers", ` ${long}`],
      ["headers", members],
      ["cookies", "[".repeat(5_000_000) + "]".repeat(5_000_000)],
    ] as const) {
      const reply = await capture(service, { url, [name]: text }, { token });
      expect(envelopeOf(reply).errors).toEqual({ [name]: [messages[name]] });
    }
  });

  it("is rejected if it contains a cookie of several megabytes", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const url = "https://example.com/";
    const cookies = [{ name: "a", value: "b", domain: `${"a.".repeat(4_000_000)}a` }];
    const reply = await capture(service, { url, cookies }, { token });
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply).errors).toEqual({ cookies: ["must be at most 16384 characters of JSON"] });
  });

  it("can be at most 10 MiB, whether declared or in chunks", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const bodyOf = (bytes: number): string => JSON.stringify({ html: "x".repeat(bytes - 11) });
    expect(bodyOf(BODY_MAX_BYTES)).toHaveLength(BODY_MAX_BYTES);
    const accepted = await capture(service, null, { token, body: bodyOf(BODY_MAX_BYTES) });
    expect(accepted.status).toBe(200);
    for (const headers of [{}, { "Transfer-Encoding": "chunked" }]) {
      const reply = await capture(service, null, { token, body: bodyOf(BODY_MAX_BYTES + 1), headers });
      expect(reply.status).toBe(413);
      expect(envelopeOf(reply)).toMatchObject({
        code: "payload_too_large",
        message: "Request body too large (limit 10485760 bytes).",
      });
    }
  });

  it("counts against the memory limit of its account only once it arrives", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const opened = Array.from({ length: 7 }, () => openCapture(service, { token, bytes: BODY_MAX_BYTES }));
    await Promise.all(opened.map(({ continued }) => continued));
    const body = JSON.stringify({ html: "x".repeat(BODY_MAX_BYTES - 11) });
    for (const { send } of opened) expect(await send(body)).toBe(200);
  });

  it("is rejected while six of the account's bodies are in memory", async () => {
    const service = await openService();
    const [first, second] = [await service.customer(), await service.customer()];
    const release = service.renderer.hold();
    const body = (index: number): string =>
      JSON.stringify({ html: String(index).repeat(BODY_MAX_BYTES - 11) });
    const failure = Promise.withResolvers<Reply>();
    const replies = [1, 2, 3, 4, 5, 6, 7].map(async (index) => {
      const reply = await capture(service, null, { token: first.token, body: body(index) });
      if (reply.status !== 200) failure.resolve(reply);
      return reply.status;
    });
    const refused = await failure.promise;
    expect(envelopeOf(refused).code).toBe("upstream_rate_limited");
    expect(refused.headers["retry-after"]).toBe("2");
    const other = capture(service, { html }, { token: second.token });
    release();
    const statuses = await Promise.all(replies);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 200, 503]);
    expect((await other).status).toBe(200);
    expect((await capture(service, null, { token: first.token, body: body(8) })).status).toBe(200);
  });
});

describe("an upload of a document", () => {
  it("is rejected while the account's captures use all of its memory for bodies", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const release = service.renderer.hold();
    const captures = [1, 2, 3, 4, 5, 6].map((index) => {
      const body = JSON.stringify({ html: String(index).repeat(BODY_MAX_BYTES - 11) });
      return capture(service, null, { token, body });
    });
    const inFlight = (): number => {
      const { running, waiting } = service.engine.load();
      return running + waiting;
    };
    await expect.poll(inFlight).toBe(6);
    const upload = (): Promise<Reply> =>
      service.send("/v1/documents", {
        method: "POST",
        token,
        headers: { "Content-Type": "text/html" },
        body: "x".repeat(BODY_MAX_BYTES),
      });
    const refused = await upload();
    expect(refused.status).toBe(503);
    expect(envelopeOf(refused).code).toBe("upstream_rate_limited");
    release();
    for (const { status } of await Promise.all(captures)) expect(status).toBe(200);
    expect((await upload()).status).toBe(201);
  });
});

describe("the restrictions on /v1/captures", () => {
  it("reject callers without a token or the ability", async () => {
    const service = await openService();
    const anonymous = await capture(service, { html });
    expect(envelopeOf(anonymous).code).toBe("unauthenticated");
    const customer = await service.customer({ abilities: ["screenshot"] });
    const pdf = await capture(service, { html, pdf: true }, { token: customer.token });
    expect(envelopeOf(pdf).code).toBe("missing_ability");
  });
});
