import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "tsup";
import { readCommit } from "../workshop/src/read-commit.ts";
import { library } from "../workshop/src/tsup-options.ts";

/*
 * The viewer of the reference is copied into the package. As a dependency, it would bring an install script that
 * reports usage to its vendor.
 */
const viewer = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")));
const FILES = [
  "swagger-ui.css",
  "swagger-ui-bundle.js",
  "swagger-ui-bundle.js.LICENSE.txt",
  "LICENSE",
  "NOTICE",
];
for (const file of FILES) cpSync(join(viewer, file), join(import.meta.dirname, "assets/viewer", file));

export default defineConfig({
  ...library({ index: "src/index.ts", cli: "src/cli.ts" }),
  // declared in src/version.ts
  define: { BUILD_COMMIT: JSON.stringify(readCommit(import.meta.dirname)) },
});
