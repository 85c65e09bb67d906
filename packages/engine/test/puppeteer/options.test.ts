import { describe, expect, it } from "vitest";
import { createPuppeteerRenderer, type PuppeteerRendererOptions } from "../../src/puppeteer/index.ts";

describe("options", () => {
  it.each<[string, PuppeteerRendererOptions]>([
    ["sandbox", { sandbox: "maybe" as "on" }],
    ["renderTimeoutMs", { renderTimeoutMs: 0 }],
    ["navigationTimeoutMs", { navigationTimeoutMs: Number.NaN }],
    ["navigationTimeoutMs", { navigationTimeoutMs: 2 ** 31 }],
    ["warmContexts", { warmContexts: -1 }],
    ["warmContexts", { warmContexts: 1.5 }],
    ["recycleAfterRenders", { recycleAfterRenders: 0 }],
    ["recycleAboveBytes", { recycleAboveBytes: Number.POSITIVE_INFINITY }],
    ["probeIntervalMs", { probeIntervalMs: "5s" as unknown as number }],
  ])("%s out of its range is named", (name, options) => {
    expect(() => createPuppeteerRenderer(options)).toThrow(RangeError);
    expect(() => createPuppeteerRenderer(options)).toThrow(`${name} must be`);
  });
});
