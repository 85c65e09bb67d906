import { join } from "node:path";
import { parse } from "yaml";
import { run, type Outcome } from "../machine/run.ts";
import { ROOT } from "../workspace.ts";
import { findWrongCommands } from "./commands.ts";
import { compileSnippets, readCodeBlocks } from "./compile-blocks.ts";
import { readDocExamples } from "./doc-examples.ts";
import { findStaleFiles, generateFiles } from "./generate.ts";
import { checkLinks, findLinksOut, findMissingCitations, findMissingPaths } from "./links.ts";
import { readFences, readPages, type Page } from "./markdown.ts";
import { createNameCheck } from "./names.ts";

/** Everything about the documentation that can be told without running what it says. */
export async function checkDocs(): Promise<Outcome> {
  const pages = readPages(ROOT);
  const findWrongNames = createNameCheck();
  // The generator of the site fails on links that lead nowhere in it.
  const tools = [await checkLinks(ROOT), await run("vitepress", ["build", join(ROOT, "docs")])];
  const stale = await findStaleFiles(await generateFiles(), ROOT);
  const faults = [
    ...stale.map((path) => `${path}: not what the code says; \`pnpm site reference\` writes it anew`),
    ...tools.filter(({ ok }) => !ok).map(({ output }) => output),
    ...findMissingCitations(ROOT),
    ...pages.flatMap((page) => [...checkPage(page, ROOT), ...findWrongNames(page)]),
    ...(await compileSnippets([...pages.flatMap(readCodeBlocks), ...readDocExamples()])),
  ];
  return { ok: faults.length === 0, output: faults.join("\n") };
}

/** What one page shows of itself. */
export function checkPage(page: Page, root: string): string[] {
  return [
    ...findLinksOut(page),
    ...findMissingPaths(root, page),
    ...findBrokenData(page),
    ...findWrongCommands(page),
  ];
}

/** `json` and `yaml` blocks that don't parse. */
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
