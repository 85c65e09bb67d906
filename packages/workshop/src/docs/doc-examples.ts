import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { ROOT } from "../repository/workspace.ts";
import type { Snippet } from "./compile-blocks.ts";

/** What the packages export, by the name that it is imported from. Index files are explicit lists. */
const ENTRIES: Readonly<Record<string, string>> = {
  "@snap/protocol": "packages/protocol/src/index.ts",
  "@snap/client": "packages/client/src/index.ts",
  "@snap/client/webhooks": "packages/client/src/webhooks/index.ts",
  "@snap/engine": "packages/engine/src/index.ts",
  "@snap/engine/internals": "packages/engine/src/internals.ts",
  "@snap/engine/ports": "packages/engine/src/ports/index.ts",
  "@snap/engine/puppeteer": "packages/engine/src/puppeteer/index.ts",
  "@snap/storage-sqlite": "packages/storage-sqlite/src/index.ts",
  "@snap/storage-postgres": "packages/storage-postgres/src/index.ts",
  "@snap/storage-redis": "packages/storage-redis/src/index.ts",
  "@snap/server": "packages/server/src/index.ts",
  "@snap/testing": "packages/testing/src/index.ts",
};

/** What comments take from elsewhere without saying so. */
const FAMILIAR: Readonly<Record<string, string>> = {
  createServer: "node:http",
  describe: "vitest",
  it: "vitest",
  launch: "puppeteer",
  writeFile: "node:fs/promises",
};

/** Every `@example` in a doc comment below `packages/*\/src`, with the imports that it leaves out. */
export function readDocExamples(root: string = ROOT): Snippet[] {
  const paths = globSync("packages/*/src/**/*.ts", { cwd: root }).toSorted();
  const sources = paths.map((path) => ({ path, source: parse(root, path) }));
  const exportsOf = (path: string): [string, string][] =>
    sources
      .filter((each) => each.path.startsWith(path))
      .flatMap((each) =>
        exportedNames(each.source).map((name): [string, string] => [name, importPath(each.path)]),
      );
  const published = Object.entries(ENTRIES).flatMap(([name, path]) =>
    exportedNames(parse(root, path)).map((each): [string, string] => [each, name]),
  );
  return sources.flatMap(({ path, source }) => {
    const [, ownPackage = path] = /^(packages[/][^/]+[/])/.exec(path) ?? [];
    // What is nearest to the comment counts.
    const known = [...Object.entries(FAMILIAR), ...exportsOf(ownPackage), ...published, ...exportsOf(path)];
    return findExamples(source).map(({ code, line }) => ({
      path,
      line,
      language: "ts" as const,
      code: withImports(code, new Map(known)),
    }));
  });
}

function parse(root: string, path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(join(root, path), "utf8"), ts.ScriptTarget.Latest, true);
}

/** From where snippets are taken to lie. */
function importPath(path: string): string {
  return relative(
    join(ROOT, "packages/workshop/guides"),
    join(ROOT, dirname(path), path.split("/").at(-1) ?? ""),
  );
}

/** In the order of the file. A comment that two nodes share, such as a statement's and its declaration's, counts once. */
function findExamples(source: ts.SourceFile): { code: string; line: number }[] {
  const found = new Map<number, { code: string; line: number }>();
  const look = (node: ts.Node): void => {
    for (const tag of ts.getJSDocTags(node)) {
      if (tag.tagName.text === "example" && tag.getSourceFile() === source)
        found.set(tag.pos, readExample(source, tag));
    }
    ts.forEachChild(node, look);
  };
  look(source);
  return [...found.values()];
}

/** The text behind the tag as it is written, so that its lines can be counted. */
function readExample(source: ts.SourceFile, tag: ts.JSDocTag): { code: string; line: number } {
  const start = tag.tagName.end;
  const lines = source.text.slice(start, tag.end).split("\n").slice(1);
  return {
    line: source.getLineAndCharacterOfPosition(start).line + 2,
    code: lines.map((line) => line.replace(/^\s*\*(\/|\s?)/, "")).join("\n"),
  };
}

/** What the file exports under a name; `export *` there is none. */
function exportedNames(source: ts.SourceFile): string[] {
  return source.statements.flatMap((statement): string[] => {
    if (ts.isExportDeclaration(statement) && statement.exportClause !== undefined)
      return ts.isNamedExports(statement.exportClause)
        ? statement.exportClause.elements.map(({ name }) => name.text)
        : [];
    if (!ts.canHaveModifiers(statement) || !isExported(statement)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText());
    return "name" in statement && statement.name !== undefined
      ? [(statement.name as ts.Identifier).text]
      : [];
  });
}

function isExported(statement: ts.HasModifiers): boolean {
  return ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

/** Puts the imports on the first line, so that errors keep their lines. */
function withImports(code: string, exported: ReadonlyMap<string, string>): string {
  const source = ts.createSourceFile("example.ts", code, ts.ScriptTarget.Latest, true);
  const used = new Set<string>();
  const declared = new Set<string>();
  const look = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) (isDeclared(node) ? declared : used).add(node.text);
    ts.forEachChild(node, look);
  };
  look(source);
  const imports = [...used].flatMap((name) => {
    const from = exported.get(name);
    return from === undefined || declared.has(name) ? [] : [`import { ${name} } from "${from}";`];
  });
  // No name of ours: the package has it as its default.
  const express = used.has("express") && !declared.has("express") ? ['import express from "express";'] : [];
  return [...imports, ...express, code].join(" ");
}

function isDeclared({ parent, ...node }: ts.Identifier): boolean {
  return (
    (ts.isVariableDeclaration(parent) ||
      ts.isBindingElement(parent) ||
      ts.isParameter(parent) ||
      ts.isImportSpecifier(parent)) &&
    parent.name.pos === node.pos
  );
}
