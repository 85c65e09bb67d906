import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "./build.ts";
import { becomeNode, widenPath } from "./machine/run.ts";
import { ROOT } from "./workspace.ts";

// `pnpm site` serves the documentation while it is written, `pnpm site build` makes the pages to publish,
// `pnpm site reference` writes what is generated from the code.
widenPath();
const [task = "dev", ...options] = process.argv.slice(2);
if (task === "reference") {
  await build();
  // It imports what has just been built.
  const { generateFiles, writeStaleFiles } = await import("./docs/generate.ts");
  await writeStaleFiles(await generateFiles(), ROOT);
} else {
  const vitepress = dirname(createRequire(import.meta.url).resolve("vitepress/package.json"));
  becomeNode(join(vitepress, "bin/vitepress.js"), [task, join(ROOT, "docs"), ...options]);
}
