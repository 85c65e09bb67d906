import { expect, it } from "vitest";
import { inspectFilterList } from "../../src/filter-lists/inspect.ts";

it("counts what a filter list contains", async () => {
  const list = `[Adblock Plus 2.0]
! comment
||ads.example^
@@||ads.example/allowed^
/banner.$image
||csp.example^$csp=script-src 'none'
##.ad
example.com##DIV#sponsor
example.com##+js(noop)
example.com#?#div:-abp-has(.ad)
||broken.example^$nonsense
`;
  const report = await inspectFilterList(list);
  expect(report).toMatchObject({ networkFilters: 3, cosmeticFilters: 2, unusedFilters: 2, notUnderstood: 2 });
  expect(report.compileMs).toBeGreaterThanOrEqual(0);
  expect(report.matchMicroseconds).toBeGreaterThan(0);
});
