import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../machine/run.ts";
import { ROOT } from "../workspace.ts";
import { readFences, type Page } from "./markdown.ts";

/** A piece of code that stands in a text. */
export interface Snippet {
  /** The file that it stands in, below the root. */
  readonly path: string;
  /** Line of that file that the first line of `code` stands on, from 1. */
  readonly line: number;
  readonly code: string;
  readonly language: "ts" | "js";
}

const GUIDES = join(ROOT, "packages/workshop/guides");
/** Snippets lie here while they are compiled, where what a reader would have installed is found. */
export const SNIPPETS = join(GUIDES, "snippets");

/** The `ts` and `js` blocks of a page, except those that say why they can't be compiled. */
export function readCodeBlocks(page: Page): Snippet[] {
  return readFences(page).flatMap(({ language, text, line, exemption }) =>
    (language === "ts" || language === "js") && exemption?.from !== "compiled"
      ? [{ path: page.path, line: line + 1, code: text, language }]
      : [],
  );
}

/**
 * Compiles every snippet as a module of its own, strictly, against the packages of this workspace.
 *
 * @returns A line for each error, with the place in the text.
 */
export async function compileSnippets(snippets: readonly Snippet[]): Promise<string[]> {
  rmSync(SNIPPETS, { recursive: true, force: true });
  mkdirSync(SNIPPETS);
  // Empty lines before the code: the compiler then names the lines of the text.
  for (const [index, { line, code, language }] of snippets.entries())
    writeFileSync(join(SNIPPETS, `${index}.${language}`), `${"\n".repeat(line - 1)}${code}`);
  const { ok, output } = await run("tsc", ["--build", GUIDES, "--pretty", "false"]);
  rmSync(SNIPPETS, { recursive: true });
  if (ok) return [];
  return output
    .replaceAll(/\n +/g, " ")
    .split("\n")
    .map((fault) =>
      fault.replace(
        /^\S*snippets\/(\d+)[.][jt]s\((\d+),\d+\): error TS\d+: /,
        (_, index: string, line: string) => `${snippets[Number(index)]?.path}:${line}: `,
      ),
    );
}
