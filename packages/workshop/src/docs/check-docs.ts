import { join } from "node:path";
import { parse } from "yaml";
import { run, type Outcome } from "../machine/run.ts";
import { ROOT } from "../workspace.ts";
import { findWrongCommands } from "./commands.ts";
import { compileSnippets, readCodeBlocks } from "./compile-blocks.ts";
import { readDocExamples } from "./doc-examples.ts";
import { findStaleFiles, generateFiles } from "./generate.ts";
import { checkLinks, findLinksOutsideDocs, findMissingCitations, findMissingPaths } from "./links.ts";
import { readFences, readPages, type Page } from "./markdown.ts";
import { createNameCheck } from "./names.ts";

/** Runs all checks of the documentation, but does not run its commands. */
export async function checkDocs(): Promise<Outcome> {
  const pages = readPages(ROOT);
  const findWrongNames = createNameCheck();
  // vitepress fails on broken links within the site.
  const tools = [await checkLinks(ROOT), await run("vitepress", ["build", join(ROOT, "docs")])];
  const stale = await findStaleFiles(await generateFiles(), ROOT);
  const problems = [
    ...stale.map((path) => `${path}: out of date; run \`pnpm site reference\``),
    ...tools.filter(({ ok }) => !ok).map(({ output }) => output),
    ...findMissingCitations(ROOT),
    ...pages.flatMap((page) => [...checkPage(page, ROOT), ...findWrongNames(page)]),
    ...(await compileSnippets([...pages.flatMap(readCodeBlocks), ...readDocExamples()])),
  ];
  return { ok: problems.length === 0, output: problems.join("\n") };
}

/** Runs the checks that need only the page and the repository's files. */
export function checkPage(page: Page, root: string): string[] {
  return [
    ...findLinksOutsideDocs(page),
    ...findMissingPaths(root, page),
    ...findBrokenData(page),
    ...findWrongCommands(page),
  ];
}

/** Finds `json` and `yaml` blocks that don't parse. */
function findBrokenData(page: Page): string[] {
  return readFences(page).flatMap(({ language, text, line, exemption }) => {
    if (!["json", "yaml"].includes(language) || exemption?.from === "compiled") return [];
    try {
      if (language === "json") JSON.parse(text);
      else parse(text);
      return [];
    } catch (error) {
      return [`${page.path}:${line}: the ${language} block does not parse: ${String(error)}`];
    }
  });
}
