import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readOptions } from "../../src/puppeteer/options.ts";
import { createPuppeteerRenderer, type PuppeteerRendererOptions } from "../../src/puppeteer/index.ts";

describe("an invalid option", () => {
  it.each<[string, PuppeteerRendererOptions]>([
    ["sandbox", { sandbox: "maybe" as "on" }],
    ["renderTimeoutMs", { renderTimeoutMs: 0 }],
    ["navigationTimeoutMs", { navigationTimeoutMs: Number.NaN }],
    ["navigationTimeoutMs", { navigationTimeoutMs: 2 ** 31 }],
    ["warmContexts", { warmContexts: -1 }],
    ["warmContexts", { warmContexts: 1.5 }],
    ["recycleAfterRenders", { recycleAfterRenders: 0 }],
    ["recycleAboveBytes", { recycleAboveBytes: Number.POSITIVE_INFINITY }],
    ["browserEgress", { browserEgress: "maybe" as "proxy" }],
    ["browserProxyHost", { browserUrls: ["wss://browsers.example/"] }],
    ["browserProxyHost", { browserUrls: ["ws://127.0.0.1:9222/", "ws://192.0.2.1:9222/"] }],
    ["browserProxyHost", { browserProxyHost: "" }],
    ["browserProxyHost", { browserProxyHost: "[fd00::5]" }],
    ["browserProxyHost", { browserProxyHost: "0.0.0.0" }],
    ["probeIntervalMs", { probeIntervalMs: "5s" as unknown as number }],
  ])("causes a RangeError that names it: %s", (name, options) => {
    expect(() => createPuppeteerRenderer(options)).toThrow(RangeError);
    expect(() => createPuppeteerRenderer(options)).toThrow(`${name} must be`);
  });
});

it("an option that is undefined has its default", () => {
  const names = ["sandbox", "targets", "renderTimeoutMs", "warmContexts", "browserEgress", "filterLists"];
  const settings = readOptions(Object.fromEntries(names.map((name) => [name, undefined])));
  expect(settings).toMatchObject({
    sandbox: "on",
    renderTimeoutMs: 45_000,
    warmContexts: 4,
    filterLists: {},
  });
  const filterLists = { ads: undefined } as unknown as NonNullable<PuppeteerRendererOptions["filterLists"]>;
  expect(readOptions({ filterLists }).filterLists).toEqual({});
});

describe("executablePath", () => {
  it.each([
    ["bin/browser", join(process.cwd(), "bin/browser")],
    ["/opt/browser", "/opt/browser"],
    ["chromium", "chromium"],
  ])("does not depend on the browser's working directory: %s", (executablePath, path) => {
    expect(readOptions({ executablePath }).executablePath).toBe(path);
  });
});

describe("invalid browserUrls", () => {
  it.each([
    [["ftp://browsers.example/hunter2"], "address 1 is not a DevTools endpoint"],
    [["ws://127.0.0.1:9222/", "hunter2"], "address 2 is not a DevTools endpoint"],
    [["ws://127.0.0.1/?hunter2", "ws://127.0.0.1:80/?hunter2"], "address 2 is the same as address 1"],
  ])("cause an error that never contains them: $1", (browserUrls, message) => {
    const create = (): unknown => createPuppeteerRenderer({ browserUrls });
    expect(create).toThrow(RangeError);
    expect(create).toThrow(message);
    expect(create).not.toThrow("hunter2");
  });

  it("include more than 64 addresses", () => {
    const browserUrls = Array.from({ length: 65 }, (_, port) => `ws://127.0.0.1:${port + 1}/`);
    const create = (): unknown => createPuppeteerRenderer({ browserUrls });
    expect(create).toThrow(RangeError);
    expect(create).toThrow("at most 64 addresses are allowed");
  });
});
