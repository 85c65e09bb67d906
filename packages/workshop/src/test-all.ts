import { join } from "node:path";
import { build } from "./build.ts";
import { becomeNode, widenPath } from "./machine/run.ts";
import { setUpMachine } from "./machine/set-up.ts";
import { ROOT } from "./workspace.ts";

widenPath();
await build();
const absent = await setUpMachine("test");
const missing = absent.map(({ name }) => name);
const needed = absent.filter(({ neededBy }) => neededBy.includes("test")).map(({ name }) => name);
if (needed.length > 0 && process.env["CI"]) {
  console.log(`With CI set the tests need ${needed.join(" and ")}.`);
  process.exit(1);
}
if (missing.length > 0) console.log(`Skipped: the tests tagged ${missing.join(" or ")}.`);

becomeNode(join(ROOT, "node_modules/vitest/vitest.mjs"), [
  "run",
  `--config=${join(ROOT, "packages/workshop/vitest.config.ts")}`,
  ...(missing.length > 0 ? ["--tagsFilter", missing.map((name) => `!${name}`).join(" && ")] : []),
  ...process.argv.slice(2),
]);
