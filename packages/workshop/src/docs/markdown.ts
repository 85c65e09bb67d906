import type { Nodes, Root } from "mdast";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { visit } from "unist-util-visit";

/** A Markdown file in the repository. */
export interface Page {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly tree: Root;
}

/** A fenced block. */
export interface Fence {
  /** Language tag of the fence, or an empty string. */
  readonly language: string;
  readonly text: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** Number of headings before it. */
  readonly section: number;
  /** From the comment on the line before: the step to skip, and the reason. */
  readonly exemption: { readonly from: "compiled" | "run"; readonly reason: string } | null;
}

/** Globs for every Markdown file, except packages/bench/src/notes.md, which is a part of docs/benchmarks.md. */
export const PAGES = [
  "*.md",
  ".github/*.md",
  ".changeset/*.md",
  "docs/**/*.md",
  "packages/*/*.md",
  "packages/*/deploy/*.md",
  "examples/*/*.md",
];

/** Reads every Markdown file under a root, sorted by path. */
export function readPages(root: string): Page[] {
  return globSync(PAGES, { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted()
    .map((path) => parsePage(path, readFileSync(join(root, path), "utf8")));
}

export function parsePage(path: string, text: string): Page {
  return { path, text, tree: unified().use(remarkParse).use(remarkGfm).parse(text) };
}

/** Returns the fenced blocks on a page, in order. */
export function readFences({ tree }: Page): Fence[] {
  const fences: Fence[] = [];
  let section = 0;
  visit(tree, (node, index, parent) => {
    if (node.type === "heading") section += 1;
    if (node.type !== "code") return;
    const before = parent?.children[(index ?? 0) - 1];
    fences.push({
      language: node.lang ?? "",
      text: node.value,
      line: lineOf(node),
      section,
      exemption: before?.type === "html" ? readExemption(before.value) : null,
    });
  });
  return fences;
}

export function lineOf(node: Nodes): number {
  return node.position?.start.line ?? 1;
}

function readExemption(comment: string): Fence["exemption"] {
  const [, from, reason = ""] = /^<!-- not (compiled|run): (.+) -->$/.exec(comment) ?? [];
  return from === "compiled" || from === "run" ? { from, reason } : null;
}
