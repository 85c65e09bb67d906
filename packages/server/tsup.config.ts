import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "tsup";
import { library } from "../workshop/src/tsup-options.ts";

/*
 * The viewer of the reference is copied into the package. As a dependency it would bring an install script that reports
 * to its makers.
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

/** Of the sources. An image is built without the repository, and is told by SNAP_COMMIT; empty if nobody knows. */
function findCommit(): string {
  const { SNAP_COMMIT: given = "" } = process.env;
  if (given !== "") return given;
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { stdio: "pipe" }).toString().trim();
  } catch {
    return "";
  }
}

export default defineConfig({
  ...library({ index: "src/index.ts", cli: "src/cli.ts" }),
  define: { SNAP_COMMIT: JSON.stringify(findCommit()) },
});
