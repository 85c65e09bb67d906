import { join } from "node:path";
import { build } from "./build.ts";
import { becomeNode, widenPath } from "./machine/run.ts";
import { setUpMachine } from "./machine/set-up.ts";
import { ROOT } from "./workspace.ts";

widenPath();
await build();
const missing = await setUpMachine("start");
if (missing.some(({ neededBy }) => neededBy.includes("start"))) process.exit(1);
becomeNode(join(ROOT, "packages/server/dist/cli.js"), ["serve", "--dev", ...process.argv.slice(2)]);
