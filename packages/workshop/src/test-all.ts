import { join } from "node:path";
import { buildPackages } from "./build-packages.ts";
import { becomeNode, widenPath } from "./machine/run.ts";
import { setUpMachine } from "./machine/set-up.ts";
import { ROOT } from "./repository/workspace.ts";

widenPath();
await buildPackages();
const missing = (await setUpMachine("test")).map(({ name }) => name);
if (missing.length > 0 && process.env["CI"]) {
  console.log("With CI set nothing is skipped: the tests need all of the above.");
  process.exit(1);
}
if (missing.length > 0) console.log(`Skipped: the tests tagged ${missing.join(" or ")}.`);

becomeNode(join(ROOT, "node_modules/vitest/vitest.mjs"), [
  "run",
  `--config=${join(ROOT, "packages/workshop/vitest.config.ts")}`,
  ...(missing.length > 0 ? ["--tagsFilter", missing.map((name) => `!${name}`).join(" && ")] : []),
  ...process.argv.slice(2),
]);
