import { describe, expect, it } from "vitest";
import {
  captureQuery,
  checkSignable,
  fitsSignedUrl,
  canonicalJson,
  canonicalText,
  fieldMessage,
  PARAMETERS,
  secretsIn,
  type ParameterRow,
} from "../../src/index.ts";

function canonical(row: ParameterRow, value: unknown): unknown {
  if (row.kind === "json") return canonicalJson(row, value);
  if (row.kind === "text") return canonicalText(row, String(value));
  throw new Error(`${row.name} has the kind ${row.kind}`);
}

const { headers, cookies, basicAuth } = PARAMETERS.screenshot;

describe("headers", () => {
  it("are normalized to lowercase names, in alphabetical order", () => {
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

  it.each<[name: string, value: unknown]>([
    ["empty", {}],
    ["a field with a space in its name", { "a b": "1" }],
    ["a field with a line break", { a: "1\r\nHost: b" }],
    ["a field with an empty value", { a: "" }],
    ["a field with a letter outside ASCII", { a: "ä" }],
    ["a field with a number as its value", { a: 1 }],
    ["two fields with the same name", { a: "1", A: "2" }],
    ["an array", [["a", "1"]]],
    ["text", "a: 1"],
    ["21 fields", Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, "1"]))],
    ["more than 4,096 characters of JSON", { a: "1".repeat(4096) }],
  ])("cannot be %s", (_, value) => {
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
    [[{ name: "a", value: "1", sameSite: "Relaxed" }]],
    [[{ name: "a", value: "1", expires: 5 }]],
    [{ name: "a", value: "1" }],
  ])("cannot be %j", (value) => {
    expect(canonical(cookies, value)).toBeNull();
  });
});

it("sameSite is accepted in lower case, and normalized", () => {
  const sent = [{ sameSite: "lax", value: "1", name: "a" }];
  expect(JSON.stringify(canonical(cookies, sent))).toBe('[{"name":"a","value":"1","sameSite":"Lax"}]');
});

describe("the message for an invalid value", () => {
  const members = "a cookie has name, value, domain, path, secure, httpOnly, sameSite";
  const cookie = { name: "a", value: "s3cr3t" };
  it.each<[ParameterRow, unknown, string]>([
    [headers, "X-A: s3cr3t", "must be an object of at most 20 header fields, as JSON"],
    [headers, {}, "must not be empty; leave it out to send no fields"],
    [
      headers,
      { "X-A": 1 },
      "must have printable ASCII text, without leading or trailing spaces, as the value of X-A",
    ],
    [
      headers,
      { "X-A": "s3cr3t-ä" },
      "must have printable ASCII text, without leading or trailing spaces, as the value of X-A",
    ],
    [headers, { TE: "s3cr3t" }, "must not have TE, which the browser or the connection sets"],
    [
      headers,
      { "Sec-Fetch-Site": "s3cr3t" },
      "must not have Sec-Fetch-Site, which the browser or the connection sets",
    ],
    [headers, { "x-a": "1", "X-A": "s3cr3t" }, "must have X-A only once; names are case-insensitive"],
    [headers, { a: "1", "X-B: s3cr3t": "" }, "must have a name of letters, digits and hyphens at index 1"],
    [headers, { a: "s3cr3t".repeat(1000) }, "must be at most 4096 characters of JSON"],
    [cookies, cookie, "must be an array of at most 20 cookies, as JSON"],
    [cookies, [], "must not be empty; leave it out to send no cookies"],
    [cookies, Array.from({ length: 21 }, () => cookie), "must be at most 20 cookies"],
    [cookies, ["a=s3cr3t"], "must have an object at index 0"],
    [cookies, [cookie, { ...cookie, expires: 5 }], `must not have expires at index 1; ${members}`],
    [cookies, [{ ...cookie, "a=s3cr3t": "" }], `must not have other members at index 0; ${members}`],
    [cookies, [{ ...cookie, sameSite: "s3cr3t" }], "must have Strict, Lax or None as sameSite at index 0"],
    [cookies, [{ ...cookie, sameSite: ["Lax"] }], "must have Strict, Lax or None as sameSite at index 0"],
    [cookies, [{ name: "a" }], "must have printable ASCII text without semicolons as value at index 0"],
    [cookies, [{ ...cookie, domain: "a.".repeat(8_191) + "a" }], "must be at most 16384 characters of JSON"],
    [cookies, [{ ...cookie, secure: "s3cr3t" }], "must have true or false as secure at index 0"],
  ])("names the entry and the reason, but not the value: $2", (row, value, message) => {
    expect(canonical(row, value)).toBeNull();
    expect(fieldMessage(row, value)).toBe(message);
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

it("checkSignable() names what a signed URL cannot contain", () => {
  const url = "https://example.com/";
  expect(checkSignable({ url, css: "a {}", cookies: undefined })).toBeNull();
  expect(checkSignable({ url, basicAuth: "ada:s3cr3t", storeTo: "archive" })).toEqual({
    code: "validation_failed",
    message: expect.stringContaining("basicAuth cannot be part of a signed URL, because anyone can read it"),
    errors: {
      basicAuth: [
        "cannot be part of a signed URL, because anyone can read it; send the request with a token instead",
      ],
      storeTo: [
        "cannot be part of a signed URL, because anyone with it could write to the store; send the request with a token instead",
      ],
    },
  });
});

it("fitsSignedUrl() measures the signed form of the query", () => {
  const css = (text: string): boolean => fitsSignedUrl({ css: text });
  // "css=" and 59,996 characters
  expect([css("a".repeat(59_996)), css("a".repeat(59_997))]).toEqual([true, false]);
  expect([css(" ".repeat(19_998)), css(" ".repeat(19_999))]).toEqual([true, false]);
  expect([css("*".repeat(19_998)), css("*".repeat(19_999))]).toEqual([true, false]);
});

it("captureQuery() returns null for content, secrets and long parameters, which need a body", () => {
  const url = "https://example.com/";
  expect(String(captureQuery({ url, fullPage: true, css: " *" }))).toBe(
    "url=https%3A%2F%2Fexample.com%2F&fullPage=true&css=+*",
  );
  // a space takes one character in this query, unlike in a signed URL
  expect(captureQuery({ url, css: " ".repeat(20_000) })).not.toBeNull();
  expect(captureQuery({ url, css: "é".repeat(20_000) })).toBeNull();
  for (const sent of [{ html: "<p>" }, { markdown: "# Hi" }, { url, headers: {} }, { url, basicAuth: "a:b" }])
    expect(captureQuery(sent)).toBeNull();
});
