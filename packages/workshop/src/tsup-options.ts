import type { Options } from "tsup";

/**
 * Build options of every package: one ES module per entry, with its types. The output is not minified, so
 * it needs no source maps. Dependencies stay imports.
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
