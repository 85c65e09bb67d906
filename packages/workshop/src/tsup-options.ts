import type { Options } from "tsup";

/**
 * Build options of every package: an ES module with its types for each entry, and chunks for what
 * entries share. The output is not minified, so it needs no source maps. Dependencies stay imports.
 */
export function library(entry: Record<string, string>): Options {
  return {
    entry,
    format: "esm",
    target: "node22",
    // Override the settings of the type check: the declarations are bundled from one program.
    dts: { compilerOptions: { composite: false, emitDeclarationOnly: false } },
    clean: true,
    // tsup would rewrite `node:sqlite` to `sqlite`, which does not exist.
    removeNodeProtocol: false,
  };
}
