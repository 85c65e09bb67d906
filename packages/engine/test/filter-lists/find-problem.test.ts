import { expect, it } from "vitest";
import { findFilterListProblem } from "../../src/filter-lists/find-problem.ts";

it.each([
  "||ads.example^",
  "[Adblock Plus 2.0]\n! Title: Short\n||ads.example^$third-party",
  '! Title: hiding\nexample.com##.ad > a\n##div[style="width: 300px"] a\nexample.org#@#.ad',
  "# also a comment\r\n&ad_box=\r\n-ads/banner.\r\n/banner[0-9]+/\r\n",
  "ads.example",
])("accepts a filter list: %j", (text) => {
  expect(findFilterListProblem(text)).toBeNull();
});

it.each([
  ["", "is empty"],
  [" \n\n", "is empty"],
  ["! Title: nothing\n! Expires: 4 days\n[Adblock]", "contains only comments, no filters"],
  ["\u0089PNG\r\n\u0000\u0000", "is a binary file, not a filter list"],
  ["\n <!DOCTYPE html><title>404</title>", "is a web page or XML, not a filter list"],
  ['{"error":"not found"}', "is JSON, not a filter list"],
  ['[{"id": 1}]', "is JSON, not a filter list"],
  [
    "# hosts\n127.0.0.1 localhost\n0.0.0.0 ads.example\n0.0.0.0 ads.example.org",
    "is a hosts file; use the list's version in Adblock Plus format",
  ],
  ["Not Found\nThe page does not exist on this server.", "is not a filter list"],
  ["x".repeat(32 * 1024 * 1024 + 1), "is larger than 33554432 bytes"],
  ["é".repeat(16 * 1024 * 1024 + 1), "is larger than 33554432 bytes"],
])("rejects a file that $1", (text, problem) => {
  expect(findFilterListProblem(text)).toBe(problem);
});
