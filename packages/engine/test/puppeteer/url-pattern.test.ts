import { describe, expect, it } from "vitest";
import { parseUrlPatterns } from "../../src/puppeteer/page/block/url-pattern.ts";

function matches(list: string, url: string): boolean {
  return parseUrlPatterns(list).some((pattern) => pattern.matches(url));
}

describe("blockUrls", () => {
  it.each([
    ["ads.example", "https://ads.example/a?b"],
    ["ads.example", "http://ADS.example:8080/"],
    ["ads.example:443", "https://ads.example/"],
    ["*.ads.example", "https://a.b.ads.example/"],
    ["fine.example,ads.example", "https://ads.example/"],
    ["https://ads.example/*", "https://ads.example/a/b?c"],
    ["HTTPS://Ads.Example/*.JPG", "https://ads.example/a.JPG"],
    ["*/track?id=*", "https://x.example/track?id=1"],
    ["*a*b*c*", "https://x.example/a-b-c"],
    ["https://ads.example/exact", "https://ads.example/exact"],
    ["ads.example", String.raw`https://ads.example/?a=\b`],
  ])("with %s matches %s", (list, url) => {
    expect(matches(list, url)).toBe(true);
  });

  it.each([
    ["ads.example", "https://www.ads.example/"],
    ["*.ads.example", "https://ads.example/"],
    ["*.ads.example", "https://bads.example/"],
    ["ads.example:8080", "https://ads.example/"],
    ["ads.example", "https://x.example/?u=https://ads.example/"],
    ["https://ads.example/*", "http://ads.example/"],
    ["https://ads.example/*.JPG", "https://ads.example/a.jpg"],
    ["*/track?id=*", "https://x.example/trackXid=1"],
    ["*ab*ba", "https://x.example/aba"],
    ["*a*b*c*", "https://x.example/c-b-a"],
  ])("with %s does not match %s", (list, url) => {
    expect(matches(list, url)).toBe(false);
  });

  it("cannot stall the process", () => {
    const url = `https://x.example/${"a".repeat(1_000_000)}`;
    expect(matches(`*${"a*".repeat(1_000)}b`, url)).toBe(false);
  });

  it("becomes a regular expression for WebSocket URLs, with an explicit port for host patterns", () => {
    const blocks = (list: string, url: string): boolean =>
      parseUrlPatterns(list).some(({ webSocketSource }) => new RegExp(webSocketSource).test(url));
    expect(blocks("ads.example", "wss://ads.example:443/a")).toBe(true);
    expect(blocks("ads.example", "wss://ads.example/a")).toBe(false);
    expect(blocks("*.ads.example", "ws://a.ads.example:80/")).toBe(true);
    expect(blocks("*.ads.example", "ws://ads.example:80/")).toBe(false);
    expect(blocks("ads.example:81", "ws://ads.example:80/")).toBe(false);
    expect(blocks("wss://ads.example/*?a=(1)", "wss://ads.example/b?a=(1)")).toBe(true);
    expect(blocks("https://ads.example/*", "wss://ads.example:443/")).toBe(false);
  });
});
