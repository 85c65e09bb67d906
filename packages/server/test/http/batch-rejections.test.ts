import { describe, expect, it } from "vitest";
import { remainingRequests, submit } from "./batches.ts";
import { envelopeOf, openService, type TestService } from "./open-service.ts";

/*
 * A submission is rejected as a whole, and the response lists its problems (docs/decisions/batches-and-webhooks.md).
 */

const url = "https://example.com/";
const one = { items: [{ url }] };

describe("an invalid submission", () => {
  it("is checked only until the response has its maximum of 50 problems", async () => {
    const service = await openService();
    const { token } = await service.customer();
    const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`parameter${index}`, 1]));
    const items = [
      { url, ...unknown },
      { url, fulPage: 1 },
    ];
    const { errors = {} } = envelopeOf(await submit(service, { items }, { token }));
    expect(Object.keys(errors)).toHaveLength(50);
    expect(Object.keys(errors).every((name) => name.startsWith("items.0.parameter"))).toBe(true);
  });

  it("is rejected if a field is in the query, where it would be ignored", async () => {
    const service = await openService();
    const { id: accountId, token } = await service.customer();
    const reply = await service.send("/v1/renders?webhookUrl=https://example.com/hook", {
      method: "POST",
      body: JSON.stringify(one),
      token,
      headers: { "Content-Type": "application/json" },
    });
    expect(reply.status).toBe(422);
    const problems = { webhookUrl: ["must be sent in the JSON body, not in the query"] };
    expect(envelopeOf(reply)).toMatchObject({ code: "validation_failed", errors: problems });
    expect(await remainingRequests(service, { accountId, name: "submission" })).toBe(100);
  });

  const LONG = `https://example.com/${"a".repeat(2048)}`;

  it.each<[name: string, document: unknown, code: string, problems: Record<string, RegExp>]>([
    ["no items", {}, "validation_failed", { items: /1 to 20/ }],
    ["0 items", { items: [] }, "validation_failed", { items: /1 to 20/ }],
    [
      "21 items",
      { items: Array.from({ length: 21 }, (_, index) => ({ url: `${url}${index}` })) },
      "validation_failed",
      { items: /1 to 20/ },
    ],
    ["items that are not an array", { items: { 0: { url } } }, "validation_failed", { items: /array/ }],
    [
      "an item that is not an object",
      { items: [{ url }, url] },
      "validation_failed",
      { "items.1": /object/ },
    ],
    ["an item that is null", { items: [null] }, "validation_failed", { "items.0": /object/ }],
    ["an item that is an array", { items: [[url]] }, "validation_failed", { "items.0": /object/ }],
    ["an unknown field", { ...one, webhookURL: url }, "validation_failed", { webhookURL: /webhookUrl/ }],
    [
      "an unknown parameter",
      { items: [{ url, fulPage: true }] },
      "validation_failed",
      { "items.0.fulPage": /fullPage/ },
    ],
    ["no url", { items: [{ url }, {}] }, "validation_failed", { "items.1.url": /./ }],
    [
      "quality with png",
      { items: [{ url, quality: 5 }] },
      "validation_failed",
      { "items.0.quality": /jpeg/ },
    ],
    [
      "a parameter of the other mode",
      { items: [{ url, landscape: true }] },
      "validation_failed",
      { "items.0.landscape": /./ },
    ],
    ["cache=0", { items: [{ url, cache: "0" }] }, "validation_failed", { "items.0.cache": /batch/ }],
    ["cache false", { items: [{ url, cache: false }] }, "validation_failed", { "items.0.cache": /batch/ }],
    [
      "cacheTtl 3599",
      { items: [{ url, cacheTtl: 3599 }] },
      "validation_failed",
      { "items.0.cacheTtl": /3600/ },
    ],
    [
      "a batch rule and another problem in the same item",
      {
        items: [
          { url, quality: 5, cache: false },
          { url: "nowhere", cacheTtl: 60 },
        ],
      },
      "validation_failed",
      {
        "items.0.cache": /batch/,
        "items.0.quality": /jpeg/,
        "items.1.cacheTtl": /3600/,
        "items.1.url": /https/,
      },
    ],
    ["a duplicate", { items: [{ url }, { url }] }, "validation_failed", { "items.1": /items\.0/ }],
    [
      "a duplicate except for cacheTtl",
      { items: [{ url, cacheTtl: 7200 }, { url: `${url}b` }, { url }] },
      "validation_failed",
      { "items.2": /items\.0/ },
    ],
    [
      "a duplicate with explicit defaults",
      { items: [{ url }, { url, format: "png", pdf: false, scale: 1, cache: true }] },
      "validation_failed",
      { "items.1": /items\.0/ },
    ],
    [
      "a private host",
      { items: [{ url }, { url: "http://10.0.0.1/" }] },
      "blocked_host",
      { "items.1.url": /private address/ },
    ],
    [
      "credentials",
      { items: [{ url: "https://a:b@example.com/" }] },
      "validation_failed",
      { "items.0.url": /password/ },
    ],
    [
      "an unsupported scheme",
      { items: [{ url: "ftp://example.com/" }] },
      "validation_failed",
      { "items.0.url": /http/ },
    ],
    [
      "a webhook URL with a private address",
      { ...one, webhookUrl: "http://127.0.0.1/" },
      "blocked_host",
      { webhookUrl: /private address/ },
    ],
    [
      "a URL that is too long once its spaces are encoded",
      { items: [{ url: `${url}?q=${"a ".repeat(1000)}b` }] },
      "validation_failed",
      { "items.0.url": /2048/ },
    ],
    [
      "a webhook URL that is not a URL",
      { ...one, webhookUrl: "example.com/hook" },
      "validation_failed",
      { webhookUrl: /http/ },
    ],
    [
      "a webhook URL with an unsupported scheme",
      { ...one, webhookUrl: "ftp://example.com/" },
      "validation_failed",
      { webhookUrl: /http/ },
    ],
    [
      "a webhook URL with credentials",
      { ...one, webhookUrl: "https://a:b@example.com/" },
      "validation_failed",
      { webhookUrl: /password/ },
    ],
    [
      "a webhook URL that is too long",
      { ...one, webhookUrl: LONG },
      "validation_failed",
      { webhookUrl: /2048/ },
    ],
    [
      "a webhook URL with 3,000 non-breaking spaces at the end",
      { ...one, webhookUrl: url + "\u00a0".repeat(3000) },
      "validation_failed",
      { webhookUrl: /2048/ },
    ],
    [
      "a webhook URL that is a number",
      { ...one, webhookUrl: 7 },
      "validation_failed",
      { webhookUrl: /absolute URL/ },
    ],
    [
      "everything at once",
      {
        items: [
          { url: "ftp://example.com/", quality: 500 },
          7,
          { url, scale: 9 },
          { url: "http://10.0.0.1/" },
        ],
        webhookUrl: false,
        callback: url,
      },
      "validation_failed",
      {
        "items.0.url": /./,
        "items.0.quality": /./,
        "items.1": /./,
        "items.2.scale": /./,
        "items.3.url": /./,
        webhookUrl: /./,
        callback: /./,
      },
    ],
    [
      "__proto__",
      JSON.parse('{"items":[{"url":"https://example.com/","__proto__":1}]}'),
      "validation_failed",
      { "items.0.__proto__": /./ },
    ],
  ])(
    "%s: gets an error that names every problem, queues nothing, and counts against no rate limit",
    async (_name, document, code, problems) => {
      const service = await openService();
      const { id, token } = await service.customer();
      const reply = await submit(service, document, { token });
      expect(reply.status).toBe(422);
      const envelope = envelopeOf(reply);
      expect(envelope.code).toBe(code);
      expect(envelope.errors).toEqual(
        Object.fromEntries(
          Object.entries(problems).map(([name, message]) => [
            name,
            expect.arrayContaining([expect.stringMatching(message)]),
          ]),
        ),
      );
      expect(reply.headers).toMatchObject({ "cache-control": "no-store", "x-credits-remaining": "1000" });
      await expectNothingUsed(service, id);
    },
  );

  it.each([
    [
      "is rejected if the token lacks the ability for one of its modes",
      { abilities: ["pdf"] },
      "missing_ability",
    ],
    ["is rejected if the account's email address is unverified", { verified: false }, "email_unverified"],
  ] as const)("%s", async (_name, options, code) => {
    const service = await openService();
    const { id, token } = await service.customer(options);
    const reply = await submit(service, { items: [{ url, pdf: true }, { url }] }, { token });
    expect(reply.status).toBe(403);
    expect(envelopeOf(reply).code).toBe(code);
    await expectNothingUsed(service, id);
  });
});

it("an item with the lowest valid cacheTtl, 3600, is accepted", async () => {
  const service = await openService();
  const { token } = await service.customer();
  expect((await submit(service, { items: [{ url, cacheTtl: 3600 }] }, { token })).status).toBe(202);
});

async function expectNothingUsed(service: TestService, accountId: string): Promise<void> {
  const { queuedItems, renderingItems } = await service.engine.batches.stats();
  expect({ queuedItems, renderingItems }).toEqual({ queuedItems: 0, renderingItems: 0 });
  for (const name of ["submission", "render", "cached"] as const)
    expect([name, await remainingRequests(service, { accountId, name })]).toEqual([name, 100]);
}
