import { Marked, type Tokens } from "marked";
import { parentPort, workerData } from "node:worker_threads";
import { MARKDOWN_STYLE } from "./markdown-style.ts";

/* A worker thread that converts one GitHub Flavored Markdown text to a complete HTML page. */

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const REFERENCE = /&#?\w+;/g;
const ESCAPED_REFERENCE = /&amp;(#?\w+;)/g;

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}

/**
 * Returns a function that creates heading ids as GitHub does, from letters, digits, `_` and `-`; a repeated one gets a
 * number. A character reference counts as punctuation, although it can be a letter.
 */
function createSlugger(): (html: string) => string {
  const counts = new Map<string, number>();
  return (html) => {
    const slug = html
      .replaceAll(REFERENCE, "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    if (slug === "") return slug;
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/** Returns the text of inline tokens as HTML without tags. Only plain text can contain character references. */
function textHtml(tokens: readonly Tokens.Generic[]): string {
  return tokens
    .map((token) => {
      if (token.tokens !== undefined) return textHtml(token.tokens);
      if (token.type === "html") return "";
      const html = escapeHtml(String(token["text"] ?? ""));
      return token.type === "text" ? html.replaceAll(ESCAPED_REFERENCE, "&$1") : html;
    })
    .join("");
}

/** Returns `null` if the conversion fails, as it does for text that is nested too deeply. */
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
        const html = textHtml(tokens);
        if (title === "") title = html.trim();
        const slug = slugOf(html);
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
<title>${title}</title>
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
