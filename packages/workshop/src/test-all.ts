import { join } from "node:path";
import { build } from "./build.ts";
import { execNode, extendPath } from "./machine/run.ts";
import { setUpMachine } from "./machine/set-up.ts";
import { ROOT } from "./workspace.ts";

extendPath();
await build();
const options = process.argv.slice(2);
// Named test files may need few parts, or none. In CI, a missing required part fails the run.
const mayInstall = Boolean(process.env["CI"]) || options.every((option) => option.startsWith("-"));
const missingParts = await setUpMachine("test", mayInstall);
const missing = missingParts.map(({ name }) => name);
const required = missingParts.filter(({ need }) => need.test === "required").map(({ name }) => name);
if (required.length > 0 && process.env["CI"]) {
  console.log(`Missing: ${required.join(", ")}. With CI set, the tests can't be skipped.`);
  process.exit(1);
}
if (missing.length > 0) console.log(`Skipping tests tagged ${missing.join(" or ")}.`);

// hundreds of test files and commands start separate processes that load the same code
process.env["NODE_COMPILE_CACHE"] ??= join(ROOT, "node_modules/.cache/compile");
execNode(join(ROOT, "node_modules/vitest/vitest.mjs"), [
  "run",
  `--config=${join(ROOT, "packages/workshop/vitest.config.ts")}`,
  ...(missing.length > 0 ? ["--tagsFilter", missing.map((name) => `!${name}`).join(" && ")] : []),
  ...options,
]);
