import { describe, expect, it } from "vitest";
import { cacheKey } from "../../src/parameters/cache-key.ts";
import { parseQuery } from "../../src/parameters/parse.ts";

const keyOf = (query: string): string =>
  cacheKey(parseQuery(new URLSearchParams(`url=https%3A%2F%2Fexample.com%2F${query}`)));

describe("cacheKey", () => {
  it.each([
    ["&fullPage=1&format=webp", "&format=webp&fullPage=true"],
    ["", "&format=png"],
    ["", "&fullPage=0"],
    ["", "&scale=1"],
    ["", "&waitUntil=networkidle2"],
    ["", "&cacheTtl=86400"],
    ["", "&cache=0"],
    ["&width=800.4&height=600", "&width=800&height=600"],
    ["&pdf=1", "&pdf=true&paperFormat=a4&marginUnit=mm&scale=1.0"],
  ])("%j is %j", (left, right) => {
    expect(keyOf(left)).toBe(keyOf(right));
  });

  it.each([
    ["", "&pdf=1"],
    ["", "&fullPage=1"],
    ["", "&cacheTtl=60"],
    ["", "&waitUntil=load"],
    ["", "&width=1280&height=800"],
    ["&delay=1", "&delay=2"],
    ["&selector=a", "&waitForSelector=a"],
  ])("%j is not %j", (left, right) => {
    expect(keyOf(left)).not.toBe(keyOf(right));
  });

  it("is 64 lowercase hex digits", () => {
    expect(keyOf("")).toMatch(/^[0-9a-f]{64}$/);
  });
});
