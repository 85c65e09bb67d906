import { visit } from "unist-util-visit";
import { parsePage } from "./markdown.ts";

/** A section of the site, with the paths of its pages. */
export interface SiteSection {
  readonly title: string;
  /** Relative to `docs`. */
  readonly pages: readonly string[];
}

/**
 * Writes `llms.txt`, which tells language models what the site has: a line for each page, with its title, link and
 * first sentence, if it has an introduction.
 *
 * @param read Returns the text of a page.
 * @see https://llmstxt.org/
 */
export function llmsText(sections: readonly SiteSection[], read: (path: string) => string): string {
  const { title, summary } = describePage(read("README.md"));
  const lists = sections.map((section) => {
    const lines = section.pages.map((path) => {
      const page = describePage(read(path));
      const link = `- [${page.title}](${path.replace(/[.]md$/, ".html")})`;
      return page.summary === "" ? link : `${link}: ${page.summary}`;
    });
    return `## ${section.title}\n\n${lines.join("\n")}`;
  });
  return `${[`# ${title}`, `> ${summary}`, ...lists].join("\n\n")}\n`;
}

/** @throws Error if the page has no title. */
function describePage(text: string): { readonly title: string; readonly summary: string } {
  const [introduction = ""] = text.split(/^## /m);
  const [heading, ...nodes] = parsePage("", introduction).tree.children;
  if (heading?.type !== "heading") throw new Error(`the page has no title: ${text.slice(0, 80)}`);
  const paragraphs = nodes.filter(({ type }) => type === "paragraph").map(textOf);
  const paragraph = paragraphs.find((content) => content !== "") ?? "";
  const [summary = ""] = /^.*?[.:](?= |$)/.exec(paragraph) ?? [];
  return { title: textOf(heading), summary: summary.replace(/:$/, ".") };
}

/** The text of a node in one line, without its markup. */
function textOf(node: Parameters<typeof visit>[0]): string {
  let text = "";
  visit(node, (child) => {
    if ("value" in child && (child.type === "text" || child.type === "inlineCode"))
      text += String(child.value);
  });
  return text.replaceAll(/\s+/g, " ").trim();
}
