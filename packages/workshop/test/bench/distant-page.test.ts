import { expect, it } from "vitest";
import { writePage, writeStyle } from "../../src/bench/distance/page.ts";

const ORIGINS = {
  page: "https://page",
  files: "https://files",
  images: "https://images",
  moreImages: "https://more-images",
  slow: "https://slow",
};

it("needs 40 resources from four hosts, and a slow third party", () => {
  const text = writePage(ORIGINS) + writeStyle(0, ORIGINS);
  const urls = text.match(/https:\/\/[a-z-]+\/\w+\/\w+[.]\w+/g) ?? [];
  const byHost = Map.groupBy(new Set(urls), (url) => new URL(url).host);

  expect([...byHost].map(([host, each]) => `${host} ${each.length}`).toSorted()).toEqual([
    "files 10",
    "images 10",
    "more-images 10",
    "page 10",
  ]);
  expect(text).toContain('fetch("https://slow/slow.txt")');
});
