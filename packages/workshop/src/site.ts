import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "./build.ts";
import { execNode, extendPath } from "./machine/run.ts";
import { ROOT } from "./workspace.ts";

// `pnpm site` serves the documentation and reloads changed pages, `pnpm site build` builds the
// pages to publish, and `pnpm site reference` generates files from the code.
// `pnpm site gallery [NAME...]` renders the pictures of the gallery.
extendPath();
const [task = "dev", ...options] = process.argv.slice(2);
if (task === "reference" || task === "gallery") {
  await build();
  // These import the built packages.
  const { updateGallery } = await import("./gallery/update.ts");
  const { generateFiles, writeStaleFiles } = await import("./docs/generate.ts");
  if (task === "gallery" && !(await updateGallery(options))) process.exit(1);
  await writeStaleFiles(await generateFiles(), ROOT);
} else {
  const vitepress = dirname(createRequire(import.meta.url).resolve("vitepress/package.json"));
  execNode(join(vitepress, "bin/vitepress.js"), [task, join(ROOT, "docs"), ...options]);
}
