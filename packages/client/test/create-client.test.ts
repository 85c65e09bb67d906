import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createClient, isSnapError, type ClientOptions } from "../src/index.ts";
import { openRawServer, png, TOKEN } from "./raw-server.ts";

const PAGE = { url: "https://example.com/" } as const;
const SECRET = "ThisIsTheSecretPartOfATokenForTheseTests01";
const SIGNING_SECRET = "TheSigningSecretOfTheToken";
const GATEWAY_KEY = "TheKeyOfTheGateway";

function errorOf(options: Partial<ClientOptions>): Error {
  try {
    createClient({ baseUrl: "https://snap.example.com", token: TOKEN, ...options });
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return expect.fail("createClient did not throw");
}

describe("baseUrl", () => {
  it.for([
    ["", "/v1/snap"],
    ["/", "/v1/snap"],
    ["/v1", "/v1/snap"],
    ["/v1/", "/v1/snap"],
    ["/v1//", "/v1/snap"],
    ["/tools/snap/v1", "/tools/snap/v1/snap"],
  ])("with the path %o sends requests to %s", async ([path, requested]) => {
    const { origin, requests } = await openRawServer(png);
    await createClient({ baseUrl: `${origin}${path}`, token: TOKEN }).screenshot(PAGE);
    expect(requests[0]?.url).toBe(`${requested}?url=https%3A%2F%2Fexample.com%2F`);
  });

  it("accepts a URL object", async () => {
    const { origin, requests } = await openRawServer(png);
    await createClient({ baseUrl: new URL(origin), token: TOKEN }).screenshot(PAGE);
    expect(requests[0]?.url).toMatch(/^\/v1\/snap\?/);
  });

  it.for([
    "snap.example.com",
    "ftp://snap.example.com",
    "file:///v1",
    TOKEN,
    "https://ada:pa55@snap.example.com/v1",
    "https://pa55@snap.example.com/v1",
    "https://snap.example.com/v1?token=pa55",
    "https://snap.example.com/v1#pa55",
  ])("rejects %o without quoting it", (baseUrl) => {
    const error = errorOf({ baseUrl });
    expect(error).toMatchObject({ code: "misconfigured", status: 0, requestId: null });
    expect(error.message).toBe(
      "baseUrl must look like https://snap.example.com/v1, without a user name, password, query or fragment.",
    );
  });
});

describe("token", () => {
  it("can be a secret alone, which cannot sign", async () => {
    const { origin, requests } = await openRawServer(png);
    const snap = createClient({ baseUrl: origin, token: SECRET, signingSecret: SIGNING_SECRET });
    await snap.screenshot(PAGE);
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(() => snap.signUrl(PAGE)).toThrow(
      "To sign URLs, pass the token as <id>|<secret>; the service logs the id at startup.",
    );
  });

  it.for([
    SECRET.slice(0, 31),
    "x".repeat(129),
    `${SECRET}|`,
    `|${SECRET}`,
    `7|`,
    `7|${SECRET}\n`,
    ` 7|${SECRET}`,
    `7 | ${SECRET}`,
    `Bearer 7|${SECRET}`,
    `0|${SECRET}`,
    `-7|${SECRET}`,
    `seven|${SECRET}`,
    `7|${SECRET}é`,
  ])("rejects %o without quoting it", (token) => {
    const error = errorOf({ token });
    expect(error).toMatchObject({ code: "misconfigured", status: 0, requestId: null });
    expect(error.message).toBe("token must be <id>|<secret>, or a secret of 32 to 128 characters.");
  });

  it("rejects a value of the wrong type", () => {
    expect(errorOf({ token: 7 as unknown as string }).message).toContain("token must be");
  });
});

describe("a missing option", () => {
  it.for([
    ["baseUrl", undefined, "baseUrl is missing; pass it, or set SNAP_BASE_URL."],
    ["baseUrl", "", "baseUrl is empty; pass it, or set SNAP_BASE_URL."],
    ["token", undefined, "token is missing; pass it, or set SNAP_TOKEN."],
    ["token", null, "token is missing; pass it, or set SNAP_TOKEN."],
    ["token", "", "token is empty; pass it, or set SNAP_TOKEN."],
  ] as const)("is reported with the variable to set: %s %o", ([name, value, message]) => {
    const error = errorOf({ [name]: value });
    expect(isSnapError(error)).toBe(true);
    expect(error).toMatchObject({ name: "SnapError", code: "misconfigured", status: 0, message });
  });
});

describe("numeric options", () => {
  it.for([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])("reject timeoutMs %d", (timeoutMs) => {
    expect(errorOf({ timeoutMs }).message).toBe("timeoutMs must be an integer from 1 to 2147483647.");
  });

  it.for([-1, 1.5, 101, Number.NaN, Number.POSITIVE_INFINITY])("reject maxRetries %d", (maxRetries) => {
    expect(errorOf({ maxRetries }).message).toBe("maxRetries must be an integer from 0 to 100.");
  });

  it("are also checked on each call", async () => {
    const { origin, requests } = await openRawServer(png);
    const snap = createClient({ baseUrl: origin, token: TOKEN });
    await expect(snap.screenshot(PAGE, { timeoutMs: 0 })).rejects.toThrow("timeoutMs must be");
    await expect(snap.usage({ maxRetries: -1 })).rejects.toThrow("maxRetries must be");
    expect(requests).toHaveLength(0);
  });
});

describe("a client", () => {
  it("reveals no secret when printed or serialized as JSON", () => {
    const snap = createClient({
      baseUrl: "https://snap.example.com",
      token: TOKEN,
      signingSecret: SIGNING_SECRET,
      headers: { "X-Gateway-Key": GATEWAY_KEY },
    });
    const shown = `${inspect(snap, { depth: 10, showHidden: true })} ${JSON.stringify(snap)}`;
    expect(TOKEN).toContain(SECRET);
    for (const secret of [SECRET, SIGNING_SECRET, GATEWAY_KEY]) expect(shown).not.toContain(secret);
  });

  it("sends the token and no custom headers", async () => {
    const { origin, requests } = await openRawServer(png);
    await createClient({ baseUrl: origin, token: TOKEN }).screenshot(PAGE, { ifNoneMatch: '"5f3c"' });
    const headers = { authorization: `Bearer ${TOKEN}`, "if-none-match": '"5f3c"' };
    await fetch(origin, { headers });
    const [own, plain] = requests;
    expect(own?.method).toBe("GET");
    expect(own?.headers).toMatchObject(headers);
    // the runtime adds the same headers to both requests
    expect(own?.headers).toEqual(plain?.headers);
  });

  it("rejects headers that HTTP does not allow, without quoting them", () => {
    const error = errorOf({ headers: { "X-Gateway-Key": "s3cret\n" + String.fromCharCode(0) } });
    expect(error).toMatchObject({
      code: "misconfigured",
      message: "headers contains an invalid HTTP header name or value.",
    });
  });

  it("rejects an entity tag that HTTP does not allow", async () => {
    const { origin } = await openRawServer(png);
    const snap = createClient({ baseUrl: origin, token: TOKEN });
    await expect(snap.screenshot(PAGE, { ifNoneMatch: '"5f\n"' })).rejects.toMatchObject({
      code: "misconfigured",
      message: "ifNoneMatch contains an invalid HTTP header name or value.",
    });
  });

  it("sends additional headers without replacing the token", async () => {
    const { origin, requests } = await openRawServer(png);
    const headers = { "X-Gateway-Key": "open", authorization: "Basic abc" };
    await createClient({ baseUrl: origin, token: TOKEN, headers }).screenshot(PAGE);
    expect(requests[0]?.headers).toMatchObject({
      "x-gateway-key": "open",
      authorization: `Bearer ${TOKEN}`,
    });
  });

  it("calls a custom fetch with `this` undefined", async () => {
    const customFetch: typeof fetch = async function (this: unknown, input, init) {
      expect(this).toBeUndefined();
      return Response.json({ credits: {}, requested: new Request(input, init).url });
    };
    const snap = createClient({ baseUrl: "https://snap.example.com", token: TOKEN, fetch: customFetch });
    expect(await snap.usage()).toEqual({ credits: {}, requested: "https://snap.example.com/v1/usage" });
  });
});
