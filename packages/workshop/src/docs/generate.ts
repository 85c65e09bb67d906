import { buildPackages } from "../build-packages.ts";
import { widenPath } from "../machine/run.ts";

widenPath();
await buildPackages();
// It imports what has just been built.
const { generateFiles, writeFiles } = await import("./generated-files.ts");
const files = await generateFiles();
await writeFiles(files);
for (const { path } of files) console.log(path);
