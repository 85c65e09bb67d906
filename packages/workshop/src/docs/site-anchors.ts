import type { Heading } from "mdast";
import GithubSlugger from "github-slugger";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { visit } from "unist-util-visit";
import { lineOf, type Page } from "./markdown.ts";

/** Headings that the built site gives another anchor than the plain Markdown has: links to them work in one only. */
export function findWrongAnchors(site: string, pages: readonly Page[]): string[] {
  return pages
    .filter(({ path }) => path.startsWith("docs/"))
    .flatMap((page) => {
      const html = readFileSync(join(site, htmlOf(page.path)), "utf8");
      return readAnchors(page).flatMap(({ anchor, line }) =>
        html.includes(` id="${anchor}"`)
          ? []
          : [`${page.path}:${line}: the site has no #${anchor}: reword the heading`],
      );
    });
}

function htmlOf(path: string): string {
  return path
    .replace(/^docs\//, "")
    .replace(/^README[.]md$/, "index.md")
    .replace(/[.]md$/, ".html");
}

function readAnchors({ tree }: Page): { anchor: string; line: number }[] {
  const slugger = new GithubSlugger();
  const anchors: { anchor: string; line: number }[] = [];
  visit(tree, "heading", (node) => {
    anchors.push({ anchor: slugger.slug(plainText(node)), line: lineOf(node) });
  });
  return anchors;
}

function plainText(heading: Heading): string {
  let text = "";
  visit(heading, (node) => {
    if (node.type === "text" || node.type === "inlineCode") text += node.value;
  });
  return text;
}
