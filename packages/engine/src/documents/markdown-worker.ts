import { Marked, type Tokens } from "marked";
import { parentPort, workerData } from "node:worker_threads";
import { MARKDOWN_STYLE } from "./markdown-style.ts";

/* A worker thread that converts one Markdown text, GitHub Flavored, to a complete HTML page. */

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}

/** Returns heading ids as GitHub creates them, from letters, digits, `_` and `-`; a repeated one gets a number. */
function createSlugger(): (text: string) => string {
  const counts = new Map<string, number>();
  return (text) => {
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    if (slug === "") return slug;
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/** The text of inline tokens, without their markup. */
function plainText(tokens: readonly Tokens.Generic[]): string {
  return tokens
    .map((token) => {
      if (token.tokens !== undefined) return plainText(token.tokens);
      return token.type === "html" ? "" : String(token["text"] ?? "");
    })
    .join("");
}

/** Returns `null` for text with too much nesting. */
function convert(markdown: string): Uint8Array<ArrayBuffer> | null {
  try {
    return new TextEncoder().encode(toPage(markdown));
  } catch {
    return null;
  }
}

function toPage(markdown: string): string {
  const slugOf = createSlugger();
  let title = "";
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const text = plainText(tokens);
        if (title === "") title = text.trim();
        const slug = slugOf(text);
        const id = slug === "" ? "" : ` id="${slug}"`;
        return `<h${depth}${id}>${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
  });
  const body = marked.parse(markdown, { async: false });
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
${MARKDOWN_STYLE}</style>
</head>
<body>
${body}</body>
</html>
`;
}

// ignores a byte order mark
const html = convert(new TextDecoder().decode(workerData as Uint8Array));
parentPort?.postMessage(html, html === null ? [] : [html.buffer]);
