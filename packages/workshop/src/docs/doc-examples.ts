import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ROOT } from "../workspace.ts";
import { SNIPPETS, type Snippet } from "./compile-blocks.ts";

/** Imports of Node's modules and third-party packages that examples may omit. */
const IMPLIED_IMPORTS: Readonly<Record<string, string>> = {
  createServer: 'import { createServer } from "node:http";',
  describe: 'import { describe } from "vitest";',
  express: 'import express from "express";',
  it: 'import { it } from "vitest";',
  launch: 'import { launch } from "puppeteer";',
  writeFile: 'import { writeFile } from "node:fs/promises";',
};

/** Returns every `@example` in a doc comment under `packages/*\/src`, with its omitted imports added. */
export function readDocExamples(root: string = ROOT): Snippet[] {
  const sources = globSync("packages/*/src/**/*.ts", { cwd: root })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  const published = new Set(
    sources
      .filter(({ path }) => ENTRY.test(path))
      .flatMap(({ text }) =>
        Array.from(text.matchAll(/^export (?:type )?\{([^}]*)\}/gm), ([, names = ""]) => names),
      )
      .flatMap((names) => names.match(/\w+/g) ?? []),
  );
  const declarations = sources.flatMap(({ path, text }) =>
    Array.from(text.matchAll(DECLARATION), ([, name = ""]) => ({ name, path })),
  );
  return sources.flatMap(({ path, text }) => {
    const examples = findExamples(text);
    if (examples.length === 0) return [];
    const [ownPackage = ""] = /^packages\/[^/]+\//.exec(path) ?? [];
    const nearness = (other: string): number => (other === path ? 2 : other.startsWith(ownPackage) ? 1 : 0);
    // The declaration nearest to the comment wins; other packages contribute only what they publish.
    const candidates = declarations
      .filter((each) => nearness(each.path) > 0 || published.has(each.name))
      .toSorted((a, b) => nearness(a.path) - nearness(b.path));
    const imports = new Map([
      ...Object.entries(IMPLIED_IMPORTS),
      ...candidates.map(({ name, path: from }): [string, string] => [name, importOf(name, from)]),
    ]);
    return examples.map(({ code, line }) => ({
      path,
      line,
      language: "ts" as const,
      code: withImports(code, imports),
    }));
  });
}

/** Entry files, which export explicit lists of names. */
const ENTRY = /^packages\/[^/]+\/src\/(?:\w+\/)?(?:index|internals)[.]ts$/;
const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

function importOf(name: string, path: string): string {
  return `import { ${name} } from "${relative(SNIPPETS, join(ROOT, dirname(path), path.split("/").at(-1) ?? ""))}";`;
}

/** Returns the lines after each tag, without their asterisks, and the number of the first. */
function findExamples(text: string): { code: string; line: number }[] {
  return Array.from(text.matchAll(/@example\n((?:\s*\*(?!\/)(?! @).*\n)+)/g), ({ 1: block = "", index }) => ({
    line: text.slice(0, index).split("\n").length + 1,
    code: block.replaceAll(/^\s*\* ?/gm, ""),
  }));
}

const LOCAL_DECLARATION = /(?:const|let|function|class|import(?: type)?) (\w+|\{[^}]*\}|\[[^\]]*\])/g;

/** Puts the imports on the first line, so errors have the right line numbers. */
function withImports(code: string, imports: ReadonlyMap<string, string>): string {
  const declared = new Set(
    Array.from(code.matchAll(LOCAL_DECLARATION), ([, names = ""]) => names.match(/\w+/g)).flat(),
  );
  const used = new Set(code.match(/(?<!\w|(?<!\.\.)\.)[A-Za-z]\w*/g));
  const missing = [...used].filter((name) => !declared.has(name));
  return [...missing.flatMap((name) => imports.get(name) ?? []), code].join(" ");
}
