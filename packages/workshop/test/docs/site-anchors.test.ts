import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parsePage } from "../../src/docs/markdown.ts";
import { findWrongAnchors } from "../../src/docs/site-anchors.ts";

it("finds headings whose anchor in the site is another than in plain Markdown", async () => {
  const site = await mkdtemp(join(tmpdir(), "site-"));
  await writeFile(
    join(site, "index.html"),
    '<h1 id="a-b">A b</h1><h2 id="the-token">…</h2><h2 id="the-token-1">…</h2>',
  );
  const page = (text: string) => [parsePage("docs/README.md", text)];
  expect(findWrongAnchors(site, page("# A b\n\n## The `token`\n\n## The token\n"))).toEqual([]);
  expect(findWrongAnchors(site, page("# A b\n\n## 1. Other"))).toEqual([
    "docs/README.md:3: the site has no #1-other: reword the heading",
  ]);
  await rm(site, { recursive: true });
});
