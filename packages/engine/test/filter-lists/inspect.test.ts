import { expect, it } from "vitest";
import { inspectFilterList } from "../../src/filter-lists/inspect.ts";

it("counts the filters that a list contains", async () => {
  const list = `[Adblock Plus 2.0]
! comment
||ads.example^
@@||ads.example/allowed^
/banner.$image
||csp.example^$csp=script-src 'none'
/^https?:\\/\\/ads\\.(?:com|net)\\/[a-z]{8,}/
/(a+)+b$/
##.ad
example.com##DIV#sponsor
example.com##+js(noop)
example.com#?#div:-abp-has(.ad)
||broken.example^$nonsense
`;
  const report = await inspectFilterList(list);
  expect(report).toMatchObject({
    networkFilters: 4,
    cosmeticFilters: 2,
    unusedFilters: 3,
    unsupportedLines: 2,
  });
  expect(report.skippedFilters).toEqual(["/(a+)+b$/"]);
  expect(report.compileMs).toBeGreaterThanOrEqual(0);
  expect(report.matchMicroseconds).toBeGreaterThan(0);
});
