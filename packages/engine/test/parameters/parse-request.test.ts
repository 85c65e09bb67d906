import { expect, it } from "vitest";
import { createCacheKey } from "../../src/parameters/cache-key.ts";
import { createParser } from "../../src/parameters/parse-request.ts";
import { PUBLIC_TARGETS_ONLY, type TargetPolicy } from "../../src/targets/policy.ts";

const url = "https://example.com/";

function openParser(policy: TargetPolicy): ReturnType<typeof createParser> {
  return createParser({ policy, renderer: {}, cacheKey: createCacheKey({ digest: (secret) => secret }) });
}

function query(text: string): URLSearchParams {
  return new URLSearchParams(text);
}

it("parses a repeated query once, in any encoding", () => {
  const parse = openParser(PUBLIC_TARGETS_ONLY);
  const first = parse(query("url=https%3A%2F%2Fexample.com%2F&fullPage=1"));
  expect(first).toMatchObject({ parameters: { url, fullPage: true, format: "png" }, verdict: "ok" });
  expect(parse(query("url=https://example.com/&fullPage=%31"))).toBe(first);
  expect(parse(query("url=https://example.com/"))).not.toBe(first);
});

it("parses the raw text of a query", () => {
  const parse = openParser(PUBLIC_TARGETS_ONLY);
  const text = "url=https%3A%2F%2Fexample.com%2F&fullPage=1";
  const first = parse(text);
  expect(first).toEqual(parse(query(text)));
  expect(parse(text)).toBe(first);
});

it("computes the same cache key for a query and an object", () => {
  const parse = openParser(PUBLIC_TARGETS_ONLY);
  const { key } = parse(query(`url=${url}&scale=2`));
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(parse({ scale: 2, url }).key).toBe(key);
  expect(parse({ scale: 3, url }).key).not.toBe(key);
});

it("checks the URL against the policy", () => {
  const sent = query("url=http://10.0.0.1/");
  expect(openParser(PUBLIC_TARGETS_ONLY)(sent).verdict).toBe("blocked");
  const cidr = { kind: "cidr", address: "10.0.0.0", prefixLength: 8, port: null } as const;
  expect(openParser({ allow: [cidr], ownHostnames: [] })(sent).verdict).toBe("ok");
});

it.each([
  "basicAuth=ada:secret",
  'headers={"x-preview":"secret"}',
  'cookies=[{"name":"a","value":"secret"}]',
])("does not cache a query with %s", (secret) => {
  const parse = openParser(PUBLIC_TARGETS_ONLY);
  const text = new URLSearchParams(`url=${url}&${secret}`).toString();
  expect(parse(text)).not.toBe(parse(text));
  expect(parse(text)).toEqual(parse(text));
});

it("checks a blocked URL every time, because this machine's addresses change", () => {
  let own = ["93.184.215.14"];
  const parse = openParser({ ...PUBLIC_TARGETS_ONLY, ownAddresses: () => own });
  const text = "url=http://93.184.215.14/";
  expect(parse(text).verdict).toBe("blocked");
  own = [];
  expect(parse(text).verdict).toBe("ok");
});

it("throws on an invalid query every time", () => {
  const parse = openParser(PUBLIC_TARGETS_ONLY);
  for (let time = 0; time < 2; time += 1)
    expect(() => parse(query(`url=${url}&scale=9`))).toThrow(/scale must be/);
});

it("returns frozen parameters", () => {
  const { parameters } = openParser(PUBLIC_TARGETS_ONLY)(query(`url=${url}`));
  expect(() => Object.assign(parameters, { url: "https://example.org/" })).toThrow(TypeError);
});
