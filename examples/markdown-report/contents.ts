/** Marks where the table of contents goes. */
const MARKER = /^\[TOC\]$/m;

/** Replaces the line `[TOC]` with links to the sections and subsections: headings of levels 2 and 3. */
export function insertContents(markdown: string): string {
  const slugOf = createSlugger();
  const entries = headingsOf(markdown).map(({ level, title }) => ({ level, title, slug: slugOf(title) }));
  const links = entries
    .filter(({ level }) => level === 2 || level === 3)
    .map(({ level, title, slug }) => `${level === 3 ? "  " : ""}- [${title}](#${encodeURIComponent(slug)})`);
  return markdown.replace(MARKER, () => links.join("\n"));
}

/** Returns the headings that start with `#`, outside fenced code blocks. */
function headingsOf(markdown: string): { level: number; title: string }[] {
  const text = markdown.replaceAll(/^(`{3,}|~{3,})[^]*?^\1/gm, "");
  const headings = text.matchAll(/^(#{1,6}) +(.+?)(?: +#+)?$/gm);
  return Array.from(headings, ([, hashes = "", title = ""]) => ({ level: hashes.length, title }));
}

/** The service gives headings the same ids as GitHub. */
function createSlugger(): (title: string) => string {
  const counts = new Map<string, number>();
  return (title) => {
    const slug = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}
