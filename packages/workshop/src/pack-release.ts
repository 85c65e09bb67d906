import { resolve } from "node:path";
import { buildAll } from "./build.ts";
import { extendPath } from "./machine/run.ts";
import { packPackages } from "./pack-packages.ts";

// `pnpm pack-release FOLDER [PACKAGE...]`: builds the packages, and packs those to publish, or the named ones with what
// they need, into a folder. Prints their paths.

const [folder, ...names] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Name the folder for the archives: pnpm pack-release FOLDER [PACKAGE...]");
  process.exit(1);
}
extendPath();
try {
  await buildAll();
  for (const { filename } of await packPackages(names, resolve(folder))) console.log(filename);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
