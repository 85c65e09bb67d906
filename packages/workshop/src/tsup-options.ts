import type { Options } from "tsup";

/**
 * Build options of the published packages: an ES module with its types for each entry, and shared chunks. The output is
 * not minified, so it needs no source maps. Dependencies are external.
 */
export function library(entry: Record<string, string>): Options {
  return {
    entry,
    format: "esm",
    target: "node22",
    // The base configuration sets these for project references; bundling the declarations needs a single program.
    dts: { compilerOptions: { composite: false, emitDeclarationOnly: false } },
    clean: true,
    // tsup would rewrite `node:sqlite` to `sqlite`, which does not exist.
    removeNodeProtocol: false,
  };
}
