import { join } from "node:path";
import { buildPackages } from "./build-packages.ts";
import { becomeNode, widenPath } from "./machine/run.ts";
import { setUpMachine } from "./machine/set-up.ts";
import { ROOT } from "./repository/workspace.ts";

widenPath();
await buildPackages();
const missing = await setUpMachine("start");
if (missing.some(({ neededBy }) => neededBy.includes("start"))) process.exit(1);
becomeNode(join(ROOT, "packages/server/dist/cli.js"), ["serve", "--dev", ...process.argv.slice(2)]);
