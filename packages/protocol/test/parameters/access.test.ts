import { describe, expect, it } from "vitest";
import { canonicalJson, canonicalText, PARAMETERS, secretsIn, type ParameterRow } from "../../src/index.ts";

function canonical(row: ParameterRow, value: unknown): unknown {
  if (row.kind === "json") return canonicalJson(row, value);
  if (row.kind === "text") return canonicalText(row, String(value));
  throw new Error(`${row.name} is a ${row.kind}`);
}

const { headers, cookies, basicAuth } = PARAMETERS.screenshot;

describe("headers", () => {
  it("have lowercase names in order", () => {
    const sent = { "X-Preview": "2", Accept: "1" };
    expect(JSON.stringify(canonical(headers, sent))).toBe('{"accept":"1","x-preview":"2"}');
  });

  it.each([
    "Host",
    "Connection",
    "Cookie",
    "Set-Cookie",
    "Content-Length",
    "Proxy-Authorization",
    "Sec-Fetch-Site",
    "Transfer-Encoding",
    "TE",
    "Upgrade",
    "Expect",
    "Keep-Alive",
    "Trailer",
  ])("cannot have %s, which the browser or the connection sets", (name) => {
    expect(canonical(headers, { [name]: "1" })).toBeNull();
  });

  it.each([
    [{}],
    [{ "a b": "1" }],
    [{ a: "1\r\nHost: b" }],
    [{ a: "" }],
    [{ a: "ä" }],
    [{ a: 1 }],
    [{ a: "1", A: "2" }],
    [[["a", "1"]]],
    ["a: 1"],
    [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, "1"]))],
    [{ a: "1".repeat(4096) }],
  ])("cannot be %j", (value) => {
    expect(canonical(headers, value)).toBeNull();
  });
});

describe("cookies", () => {
  it.each([
    [[]],
    [[{ name: "a" }]],
    [[{ name: "a;", value: "1" }]],
    [[{ name: "a", value: "1; Domain=example.com" }]],
    [[{ name: "a", value: "1", path: "deep" }]],
    [[{ name: "a", value: "1", sameSite: "lax" }]],
    [[{ name: "a", value: "1", expires: 5 }]],
    [{ name: "a", value: "1" }],
  ])("cannot be %j", (value) => {
    expect(canonical(cookies, value)).toBeNull();
  });
});

describe("basicAuth", () => {
  it.each(["ada:s3cr3t", "ada:", ":s3cr3t", "ada:s3:cr3t", "zoë:pässword"])("can be %j", (text) => {
    expect(canonical(basicAuth, text)).toBe(text);
  });

  it.each(["", "ada", "ada\n:s3cr3t", "ada:\u0000"])("cannot be %j", (text) => {
    expect(canonical(basicAuth, text)).toBeNull();
  });
});

it("secretsIn() names the secrets that were sent", () => {
  const sent = {
    url: "https://example.com/",
    cookies: undefined,
    headers: {},
    basicAuth: "ada:s3cr3t",
    format: "png",
  };
  expect(secretsIn(sent)).toEqual(["headers", "basicAuth"]);
});
