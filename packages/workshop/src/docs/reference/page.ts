import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../workspace.ts";

/** A generated page. */
export interface ReferencePage {
  /** File name in `docs/reference` or, for the gallery, in `docs/gallery`. */
  readonly file: string;
  readonly title: string;
  /** One sentence that describes the page. */
  readonly summary: string;
  /** Markdown blocks that follow the summary. */
  readonly parts: () => readonly string[];
}

/**
 * Returns a Markdown table without its empty columns.
 *
 * @throws Error if there are no rows, because the source of the table is then missing or has been moved.
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) throw new Error(`the table of ${header.join(", ")} has no rows`);
  const filled = header.map((_, column) => rows.some((row) => (row[column] ?? "") !== ""));
  const line = (cells: readonly string[]): string => {
    const shown = cells.filter((__, column) => filled[column]);
    return `| ${shown.map((text) => text.replaceAll("|", String.raw`\|`).replaceAll("\n", " ")).join(" | ")} |`;
  };
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

export function code(text: string | number): string {
  return `\`${text}\``;
}

/** Escapes characters that Markdown would interpret in plain text. */
export function plain(text: string): string {
  return text.replaceAll(/[*_`<]/g, (character) => `\\${character}`);
}

/** Capitalizes the first letter, and adds a full stop unless the text already ends a sentence. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/**
 * Reads the doc comments of an exported object's members. Comments stay next to the values, and add nothing to the
 * built package.
 *
 * @throws Error if the object does not exist, or one of its members has no comment.
 */
export function readComments(path: string, object: string): (member: string) => string {
  const source = readFileSync(join(ROOT, path), "utf8");
  const [, body] = new RegExp(`^export const ${object}\\b.*?\\{\n(.*?)^\\}`, "ms").exec(source) ?? [];
  if (body === undefined) throw new Error(`${path} has no object ${object}`);
  const comments = new Map(
    Array.from(body.matchAll(/^ {2}(?:\/\*\*(.*?)\*\/\s+)?(\w+):/gms), ([, comment, member = ""]) => {
      if (comment === undefined)
        throw new Error(`${path}: ${member} needs a doc comment, which the reference shows`);
      return [member, comment.replaceAll(/\s*\n\s*\*?\s*/g, " ").trim()];
    }),
  );
  return (member) => sentence(comments.get(member) ?? "");
}
