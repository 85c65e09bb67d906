import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { envelopeOf, openService, type Reply } from "./open-service.ts";

const url = "https://example.com/";

function isRendering({ status, headers }: Reply): boolean {
  const type = headers["content-type"] ?? "";
  return status === 200 && /^(image\/(png|jpeg|webp)|application\/pdf)$/.test(type);
}

/** A 422 with a valid envelope; `errors` names the parameters, unless the target was blocked or unreachable. */
function isRejection(reply: Reply): boolean {
  const { code, message, errors, request_id } = envelopeOf(reply);
  const named = Object.keys(errors ?? {}).length > 0;
  const isParameterError = code === "validation_failed" || code === "invalid_url";
  const isTargetError = code === "blocked_host" || code === "target_unreachable";
  return (
    reply.status === 422 &&
    ((isParameterError && named) || (isTargetError && !named)) &&
    message !== "" &&
    request_id === reply.headers["x-request-id"]
  );
}

describe("a request for /v1/snap", () => {
  it.each<[string, string, string[]]>([
    ["url twice", "url=https://example.com/&url=https://example.com/", ["url"]],
    ["url[]", "url[]=https://example.com/", ["url[]", "url"]],
    ["url[x]", "url=https://example.com/&url[x]=1", ["url[x]"]],
    ["__proto__", "url=https://example.com/&__proto__=1", ["__proto__"]],
    ["__proto__[x]", "url=https://example.com/&__proto__[pdf]=1", ["__proto__[pdf]"]],
    ["constructor", "url=https://example.com/&constructor=1", ["constructor"]],
    ["an unknown name", "url=https://example.com/&fullpage=1", ["fullpage"]],
    ["an empty value", "url=https://example.com/&fullPage=", ["fullPage"]],
    ["a name without a value", "url=https://example.com/&fullPage", ["fullPage"]],
    ["an empty name", "url=https://example.com/&=1", [""]],
    ["a PDF parameter in screenshot mode", "url=https://example.com/&paperFormat=a4", ["paperFormat"]],
    ["only one of width and height", "url=https://example.com/&width=10", ["height"]],
    ["two problems", "url=https://example.com/&quality=0&scale=9", ["quality", "scale"]],
  ])("with %s is rejected", async (_name, query, names) => {
    const { customer, send } = await openService();
    const { token } = await customer();
    const reply = await send(`/v1/snap?${query}`, { token });
    expect(reply.status).toBe(422);
    const { code, errors } = envelopeOf(reply);
    expect(code).toBe("validation_failed");
    expect(Object.keys(errors ?? {}).toSorted()).toEqual(names.toSorted());
  });

  it.each([
    ["no parameters", ""],
    ["a URL without a scheme", "?url=example.com"],
    ["a URL with an unsupported scheme", "?url=ftp://example.com/"],
    ["a URL with credentials", "?url=https://user:pass@example.com/"],
    ["a URL of 2,049 characters", `?url=${url}${"a".repeat(2049 - url.length)}`],
    ["malformed percent-encoding", "?url=%"],
  ])("with %s fails with invalid_url", async (_name, query) => {
    const { customer, send } = await openService();
    const { token } = await customer();
    const reply = await send(`/v1/snap${query}`, { token });
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply)).toMatchObject({ code: "invalid_url", errors: { url: [expect.any(String)] } });
  });

  it.each([
    ["fullPage", { fullPage: "1" }],
    ["booleans as words", { omitBackground: "true", cache: "false" }],
    ["a lossy image", { format: "jpeg", quality: "100" }],
    ["a clip", { clipX: "0", clipY: "0", clipWidth: "1", clipHeight: "10000" }],
    ["a viewport", { width: "1", height: "10000", scale: "3" }],
    ["wait parameters", { delay: "0", waitUntil: "networkidle0", waitForSelector: "#ready" }],
    ["a selector", { selector: 'a[href="#x"]' }],
    ["a cache TTL", { cacheTtl: "2592000" }],
    ["a PDF", { pdf: "1", landscape: "1", scale: "0.1", paperFormat: "a6" }],
    [
      "margins",
      {
        pdf: "true",
        marginTop: "0",
        marginRight: "1",
        marginBottom: "2.5",
        marginLeft: "1",
        marginUnit: "cm",
      },
    ],
  ])("with %s returns a rendering", async (_name, query) => {
    const { customer, snap } = await openService();
    const { token } = await customer();
    expect((await snap({ url, ...query }, { token })).status).toBe(200);
  });

  it("with a URL of 2,048 CJK characters returns a rendering", async () => {
    const { customer, snap, renderer } = await openService();
    const { token } = await customer();
    const long = url + "\u6f22".repeat(2048 - url.length);
    expect((await snap({ url: long }, { token })).status).toBe(200);
    expect(renderer.calls[0]?.url).toContain("\u6f22\u6f22");
  });

  it("with thousands of parameters is rejected with a response of bounded size", async () => {
    const { customer, send } = await openService();
    const { token } = await customer();
    const query = Array.from({ length: 6000 }, (_, index) => `p${index}=1`).join("&");
    const reply = await send(`/v1/snap?url=${url}&${query}`, { token });
    expect(reply.status).toBe(422);
    expect(reply.body.length).toBeLessThan(16 * 1024);
  });

  it("with a random query gets a rendering or an error envelope, never a 500", async () => {
    const { customer, send, clock } = await openService();
    const { token } = await customer({ credits: 1_000_000, requestsPerMinute: 1_000_000 });
    const names = [
      "url",
      "pdf",
      "format",
      "scale",
      "width",
      "height",
      "selector",
      "cache",
      "cacheTtl",
      "clipX",
    ];
    const value = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.webUrl({ withQueryParameters: true }),
      fc.constantFrom("true", "0", "1e9", "-0", "NaN", "png", "9".repeat(400), "%00", "\ud800"),
    );
    const name = fc.oneof(fc.constantFrom(...names, "__proto__", "toString"), fc.string());
    const encoded = fc
      .array(fc.tuple(name, value), { maxLength: 6 })
      .map((pairs) => new URLSearchParams(pairs).toString());
    // Every byte that the HTTP parser accepts in a request target.
    const raw = fc
      .array(fc.integer({ min: 0x21, max: 0x7e }), { maxLength: 60 })
      .map((bytes) => String.fromCharCode(...bytes));
    const mixed = fc.tuple(encoded, raw).map(([left, right]) => `url=${url}&${left}&${right}`);
    await fc.assert(
      fc.asyncProperty(fc.oneof(encoded, raw, mixed), async (query) => {
        clock.advance(1000);
        const reply = await send(`/v1/snap?${query}`, { token });
        expect(isRendering(reply) || isRejection(reply)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});
