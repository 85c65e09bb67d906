import { buildPackages } from "./build-packages.ts";
import { widenPath } from "./machine/run.ts";

widenPath();
await buildPackages();
