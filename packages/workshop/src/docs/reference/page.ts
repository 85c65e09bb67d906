import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../workspace.ts";

/** A page of docs/reference. */
export interface ReferencePage {
  /** File name below docs/reference. */
  readonly file: string;
  readonly title: string;
  /** What the page is, in one sentence. */
  readonly summary: string;
  /** The parts behind the summary, in Markdown. */
  readonly parts: () => readonly string[];
}

/**
 * A table; the columns that nobody fills are left out.
 *
 * @throws Error when it has no rows: what it is made from is gone, or has moved.
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) throw new Error(`nothing to say in a table of ${header.join(", ")}`);
  const filled = header.map((_, column) => rows.some((row) => (row[column] ?? "") !== ""));
  const line = (cells: readonly string[]): string => {
    const kept = cells.filter((__, column) => filled[column]);
    return `| ${kept.map((text) => text.replaceAll("|", String.raw`\|`).replaceAll("\n", " ")).join(" | ")} |`;
  };
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

export function code(text: string | number): string {
  return `\`${text}\``;
}

/** With a capital at the start and a full stop at the end. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/**
 * What the doc comments of an exported object's members say, by member. Comments stay where the values are, and
 * weigh nothing in what is built.
 *
 * @throws Error when there is no such object, or a member of it has no comment.
 */
export function readComments(path: string, object: string): (member: string) => string {
  const source = readFileSync(join(ROOT, path), "utf8");
  const [, body] = new RegExp(`^export const ${object}\\b.*?\\{\n(.*?)^\\}`, "ms").exec(source) ?? [];
  if (body === undefined) throw new Error(`${path} has no object ${object}`);
  const comments = new Map(
    Array.from(body.matchAll(/^ {2}(?:\/\*\*(.*?)\*\/\s+)?(\w+):/gms), ([, comment, member = ""]) => {
      if (comment === undefined)
        throw new Error(`${path}: ${member} needs a doc comment: the reference is made from it`);
      return [member, comment.replaceAll(/\s*\n\s*\*?\s*/g, " ").trim()];
    }),
  );
  return (member) => sentence(comments.get(member) ?? "");
}
