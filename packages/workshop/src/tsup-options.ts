import type { Options } from "tsup";

/**
 * How every package is built: one readable ES module per entry with its types. Nothing is minified,
 * so no source maps are published. What a package depends on stays an import.
 */
export function library(entry: Record<string, string>): Options {
  return {
    entry,
    format: "esm",
    target: "node22",
    // The type check's own settings: what is published is bundled from one program.
    dts: { compilerOptions: { composite: false, emitDeclarationOnly: false } },
    clean: true,
    // tsup would write `node:sqlite` as `sqlite`, which does not exist.
    removeNodeProtocol: false,
  };
}
