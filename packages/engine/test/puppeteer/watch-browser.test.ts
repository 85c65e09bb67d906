import { expect, it } from "vitest";
import { withLongerTimeout } from "../../src/puppeteer/browser/watch-browser.ts";

it("isolated and remote browsers have three times the probe timeout, up to the longest timer", () => {
  const timeoutFor = (probeTimeoutMs: number): number =>
    withLongerTimeout({ probeIntervalMs: 1_000, probeTimeoutMs }).probeTimeoutMs;
  expect(timeoutFor(2_500)).toBe(7_500);
  expect(timeoutFor(2_147_483_647)).toBe(2_147_483_647);
});
