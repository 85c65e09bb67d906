import { expect, it } from "vitest";
import { compileFilterList, type FilterList } from "../../src/filter-lists/compile.ts";
import { limitMatching } from "../../src/filter-lists/limit-matching.ts";

const request = (url: string) => ({ url, documentUrl: "https://page.example/", type: "image" }) as const;
const AD = request("https://ads.example/banner.png");
/** Far more than are needed to reach the limit. */
const REQUESTS = 100;

/** Returns the list for one render, and how many times its limit was reached. */
async function open(text: string): Promise<{ list: FilterList; reached: () => number }> {
  let count = 0;
  const lists = limitMatching([await compileFilterList(text)], () => (count += 1));
  return { list: lists[0] as FilterList, reached: () => count };
}

it.each([
  ["/(a+)+b$/", "an expression that takes exponential time"],
  ["/(a|a)*b/", "alternatives that match the same text"],
])("skips %s (%s)", async (filter) => {
  const { list, reached } = await open(`||ads.example^\n${filter}`);
  expect(list.blocks(request(`https://page.example/${"a".repeat(65_536)}`))).toBe(false);
  expect(list.blocks(AD)).toBe(true);
  expect(reached()).toBe(0);
});

it.each([
  ["*a*a*a*a*a*a*a*a*b", "wildcards"],
  ["/a+a+a+a+a+a+a+b/", "an expression that takes polynomial time"],
])("blocks nothing more on a page once matching %s (%s) has taken too long", async (filter) => {
  const { list, reached } = await open(`||ads.example^\n${filter}`);
  const slow = request(`https://page.example/${"a".repeat(65_536)}`);
  expect(list.blocks(slow)).toBe(false);
  expect(list.blocks(AD)).toBe(true);
  for (let index = 0; index < REQUESTS; index += 1) expect(list.blocks(slow)).toBe(false);
  expect(list.blocks(AD)).toBe(false);
  expect(reached()).toBe(1);
});

it("rethrows errors", () => {
  const fails = (): never => {
    throw new Error("broken");
  };
  const [list] = limitMatching([{ blocks: fails, styleSheet: fails }], () => {});
  expect(() => list?.blocks(AD)).toThrow("broken");
});
