import { existsSync, globSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkValidateLinks from "remark-validate-links";
import { unified, type Plugin } from "unified";
import { engine } from "unified-engine";
import { visit } from "unist-util-visit";
import { VFile } from "vfile";
import { lineOf, type Page } from "./markdown.ts";

/** Where what a code span names can be: what is made at run time is no path of the repository. */
const FOLDERS = /^(packages|examples|docs|[.]github|[.]ci|[.]changeset)\//;

/** Links to files and headings that aren't there. Addresses on the web are left alone. */
export async function findDeadLinks(root: string, pages: readonly Page[]): Promise<string[]> {
  const files = pages.map(({ path, text }) => new VFile({ cwd: root, path, value: text }));
  await new Promise<void>((resolve, reject) => {
    engine(
      {
        processor: unified().use(remarkParse).use(remarkGfm),
        // Its type tells of the set of files that the engine hands it, which the engine's type doesn't.
        plugins: [[remarkValidateLinks as unknown as Plugin<unknown[]>, { repository: false, root }]],
        cwd: root,
        files,
        output: false,
        quiet: true,
        silent: true,
      },
      (error) => (error ? reject(error) : resolve()),
    );
  });
  return files.flatMap(({ messages }, index) =>
    messages.map(({ line, reason }) => `${pages[index]?.path}:${line ?? 1}: ${reason}`),
  );
}

/** Links of a docs page that leave the folder: the site has nothing there. */
export function findLinksOut({ path, tree }: Page): string[] {
  if (!path.startsWith("docs/")) return [];
  const faults: string[] = [];
  visit(tree, ["link", "image", "definition"], (node) => {
    if (!("url" in node) || /^([a-z]+:|#)/.test(node.url)) return;
    const target = normalize(join(dirname(path), node.url));
    if (target.startsWith("docs/")) return;
    faults.push(
      `${path}:${lineOf(node)}: the site ends at docs/: name \`${target}\` in backticks, without a link`,
    );
  });
  return faults;
}

/** Code spans that name a file or folder that isn't there. */
export function findMissingPaths(root: string, { path, tree }: Page): string[] {
  const faults: string[] = [];
  visit(tree, "inlineCode", (node) => {
    const { value } = node;
    const own = path.startsWith("packages/") && /^(src|test)\/\S+$/.test(value);
    if (!own && (!FOLDERS.test(value) || /[\s<>…]/.test(value))) return;
    const target = own ? join(dirname(path), value) : value;
    const exists = target.includes("*")
      ? globSync(target, { cwd: root }).length > 0
      : existsSync(join(root, target));
    if (!exists) faults.push(`${path}:${lineOf(node)}: there is no ${target}`);
  });
  return faults;
}
