import { rmSync } from "node:fs";
import { join } from "node:path";
import { run, type Outcome } from "../machine/run.ts";
import { ROOT } from "../repository/workspace.ts";
import { findWrongCommands } from "./commands.ts";
import { compileSnippets, readCodeBlocks } from "./compile-blocks.ts";
import { findBrokenData } from "./data-blocks.ts";
import { readDocExamples } from "./doc-examples.ts";
import { findStaleFiles, generateFiles } from "./generated-files.ts";
import { findDeadLinks, findLinksOut, findMissingPaths } from "./links.ts";
import { readPages, type Page } from "./markdown.ts";
import { createNameCheck } from "./names.ts";
import { findStrayBlocks } from "./running/read-steps.ts";
import { findWrongAnchors } from "./site-anchors.ts";

/** Where the generator puts what it builds. */
const SITE = join(ROOT, "docs/.vitepress/dist");

/** Everything about the documentation that can be told without running what it says. */
export async function checkDocs(): Promise<Outcome> {
  const pages = readPages(ROOT);
  const findWrongNames = await createNameCheck();
  const faults = [
    ...(await findStaleFiles(await generateFiles())),
    ...(await findDeadLinks(ROOT, pages)),
    ...pages.flatMap((page) => [...checkPage(page, ROOT), ...findWrongNames(page)]),
    ...compileSnippets([...pages.flatMap(readCodeBlocks), ...readDocExamples()]),
    ...(await checkSite(pages)),
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
    ...(isRun(page) ? findStrayBlocks(page) : []),
  ];
}

/** Those pages whose commands the tests run. */
function isRun({ path }: Page): boolean {
  return path === "README.md" || path === "docs/tutorial.md" || path.startsWith("docs/how-to/");
}

/** The generator fails on links that lead nowhere in the site. */
async function checkSite(pages: readonly Page[]): Promise<string[]> {
  rmSync(SITE, { recursive: true, force: true });
  const { ok, output } = await run("vitepress", ["build", join(ROOT, "docs")]);
  return ok ? findWrongAnchors(SITE, pages) : [output];
}
