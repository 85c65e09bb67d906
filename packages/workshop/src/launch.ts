import { join } from "node:path";
import { build } from "./build.ts";
import { execNode, extendPath } from "./machine/run.ts";
import { setUpMachine } from "./machine/set-up.ts";
import { ROOT } from "./workspace.ts";

extendPath();
await build();
const missing = await setUpMachine("start");
if (missing.some(({ need }) => need.start === "required")) process.exit(1);
execNode(join(ROOT, "packages/server/dist/cli.js"), ["serve", "--dev", ...process.argv.slice(2)]);
