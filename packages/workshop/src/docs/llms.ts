/** A section of the site, with the paths of its pages. */
export interface SiteSection {
  readonly title: string;
  /** Relative to `docs`. */
  readonly pages: readonly string[];
}

/**
 * Returns the text of `llms.txt`, which tells language models what the site has: a line for each page, with its title,
 * link and first sentence, if it has an introduction.
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

/** The title of a page, and the first sentence of its introduction, without markup. */
export function describePage(text: string): { readonly title: string; readonly summary: string } {
  const [introduction = ""] = text.split(/^## /m);
  const [title = "", ...blocks] = introduction.split(/\n\n+/).map((block) =>
    block
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, (markup, label: string) =>
        markup.startsWith("!") ? "" : label,
      )
      .replaceAll(/^# |[`*]/g, "")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );
  const paragraph = blocks.find((block) => /^[A-Za-z@]/.test(block)) ?? "";
  const [summary = ""] = /^.*?[.:](?= |$)/.exec(paragraph) ?? [];
  return { title, summary: summary.replace(/:$/, ".") };
}
