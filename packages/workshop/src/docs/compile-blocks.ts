import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../machine/run.ts";
import { ROOT } from "../workspace.ts";
import { readFences, type Page } from "./markdown.ts";

/** A piece of code on a page or in a doc comment. */
export interface Snippet {
  /** The file that contains it, relative to the root. */
  readonly path: string;
  /** Line number of the first line of `code`, from 1. */
  readonly line: number;
  readonly code: string;
  readonly language: "ts" | "js";
}

/** The TypeScript project in which snippets compile; packages that a reader installs resolve from its folder. */
const GUIDES = join(ROOT, "packages/workshop/guides");
/** Holds the snippets during compilation. */
export const SNIPPETS = join(GUIDES, "snippets");

/** Returns the `ts` and `js` blocks of a page, except those marked `not compiled` with a reason. */
export function readCodeBlocks(page: Page): Snippet[] {
  return readFences(page).flatMap(({ language, text, line, exemption }) =>
    (language === "ts" || language === "js") && exemption?.from !== "compiled"
      ? [{ path: page.path, line: line + 1, code: text, language }]
      : [],
  );
}

/**
 * Compiles every snippet as a separate module, in strict mode.
 *
 * @param project The folder of the TypeScript project that compiles the snippets; by default, one that resolves this
 * workspace's packages.
 * @returns A line for each error, with its path and line.
 */
export async function compileSnippets(snippets: readonly Snippet[], project = GUIDES): Promise<string[]> {
  const folder = join(project, "snippets");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  // Pad with empty lines, so the compiler reports the line numbers of the page.
  for (const [index, { line, code, language }] of snippets.entries())
    writeFileSync(join(folder, `${index}.${language}`), `${"\n".repeat(line - 1)}${code}`);
  const { ok, output } = await run("tsc", ["--build", project, "--pretty", "false"]);
  rmSync(folder, { recursive: true });
  if (ok) return [];
  return output
    .replaceAll(/\n +/g, " ")
    .split("\n")
    .map((problem) =>
      problem.replace(
        /^\S*snippets\/(\d+)[.][jt]s\((\d+),\d+\): error TS\d+: /,
        (_, index: string, line: string) => `${snippets[Number(index)]?.path}:${line}: `,
      ),
    );
}
