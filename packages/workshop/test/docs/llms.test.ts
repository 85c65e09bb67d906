import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { llmsText } from "../../src/docs/llms.ts";
import { SECTIONS } from "../../src/docs/site-config.ts";
import { ROOT } from "../../src/workspace.ts";

const PAGES: Readonly<Record<string, string>> = {
  "README.md": "# snap\n\nsnap renders *web pages*.\nMore.\n",
  "decisions/egress.md": "# Egress\n\n## A decision\n\nIts reason.\n",
  "how-to/sign.md": "# Sign `URLs`\n\n![An image](a.png)\n\nAnyone can [read](x.md) it: so\nbeware.\n",
};

it("llms.txt has the title and link of each page, and its first sentence if it has one", () => {
  const sections = [{ title: "Guides", pages: ["how-to/sign.md", "decisions/egress.md"] }];
  const text = llmsText(sections, (path) => PAGES[path] ?? "");
  expect(text).toBe(
    "# snap\n\n> snap renders web pages.\n\n## Guides\n\n- [Sign URLs](how-to/sign.html): Anyone can read it.\n- [Egress](decisions/egress.html)\n",
  );
});

it("llms.txt lists every page of the site, with a summary of all but decisions", () => {
  const docs = join(ROOT, "docs");
  const lines = llmsText(SECTIONS, (path) => readFileSync(join(docs, path), "utf8")).match(/^- .*$/gm) ?? [];
  const links = lines.map((line) => /^- \[.+\]\((\S+)[.]html\)(?:: \S.*[.])?$/.exec(line)?.[1] ?? line);
  expect(lines.filter((line) => !line.includes("](decisions/") && !line.includes(".html): "))).toEqual([]);
  const pages = globSync("**/*.md", { cwd: docs, exclude: ["**/README.md"] });
  expect(links.toSorted()).toEqual(pages.map((path) => path.replace(/[.]md$/, "")).toSorted());
});
