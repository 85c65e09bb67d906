import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { visit } from "unist-util-visit";
import { run, type Outcome } from "../machine/run.ts";
import { lineOf, PAGES, type Page } from "./markdown.ts";

/** Code spans that begin with one of these folders name a path in the repository. */
const FOLDERS = /^(packages|examples|docs|[.]github|[.]ci|[.]changeset)\//;

/** Fails on links to missing files and headings. Does not check links to the web. */
export function checkLinks(root: string): Promise<Outcome> {
  const plugin = (name: string): string => fileURLToPath(import.meta.resolve(name));
  const plugins = [plugin("remark-gfm"), `${plugin("remark-validate-links")}=repository:false`];
  const options = ["--silently-ignore", "--quiet", "--frail", "--no-stdout", "--no-color"];
  return run("remark", [...PAGES, ...options, ...plugins.flatMap((each) => ["--use", each])], { cwd: root });
}

/** Finds a docs page's links to files outside docs, which the site does not contain. */
export function findLinksOutsideDocs({ path, tree }: Page): string[] {
  if (!path.startsWith("docs/")) return [];
  const problems: string[] = [];
  visit(tree, ["link", "image", "definition"], (node) => {
    if (!("url" in node) || /^([a-z]+:|#)/.test(node.url)) return;
    const target = normalize(join(dirname(path), node.url));
    if (target.startsWith("docs/")) return;
    problems.push(
      `${path}:${lineOf(node)}: ${target} is outside docs/; name it in backticks instead of linking to it`,
    );
  });
  return problems;
}

/** Finds code spans that name a missing file or folder. */
export function findMissingPaths(root: string, { path, tree }: Page): string[] {
  const problems: string[] = [];
  visit(tree, "inlineCode", (node) => {
    const { value } = node;
    const own = path.startsWith("packages/") && /^(src|test)\/\S+$/.test(value);
    if (!own && (!FOLDERS.test(value) || /[\s<>…]/.test(value))) return;
    const target = own ? join(dirname(path), value) : value;
    const exists = target.includes("*")
      ? globSync(target, { cwd: root }).length > 0
      : existsSync(join(root, target));
    if (!exists) problems.push(`${path}:${lineOf(node)}: ${target} does not exist`);
  });
  return problems;
}

/** Finds citations of missing pages in the comments of the sources. */
export function findMissingCitations(root: string): string[] {
  return globSync("{packages/*/src/**/*.{ts,tsx},examples/*/*.ts}", { cwd: root }).flatMap((path) =>
    readFileSync(join(root, path), "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const [, comment = ""] = /(?:^\s*\*|\/\*\*?|(?:^|\s)\/\/)(.*)$/.exec(line) ?? [];
        const cited = Array.from(comment.matchAll(/[\w./-]+[.]md\b/g), ([page]) => page);
        return (
          cited
            // `index.md` is a file that callers upload (docs/how-to/render-documents.md)
            .filter((page) => page !== "index.md" && !existsSync(join(root, page)))
            .map((page) => `${path}:${index + 1}: cites ${page}, which does not exist`)
        );
      }),
  );
}
