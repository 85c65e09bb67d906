import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { SYSTEM_PARTS } from "./src/machine/system-parts.ts";

/** The files that replace modules that other files use. */
const REPLACING_MODULES = [
  "packages/engine/test/simulation/simulation.test.ts",
  "packages/workshop/test/parameters/*.test.ts",
];

/** Tests import the sources of workspace packages; packed-client.test.ts checks the built ones. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { tsconfigPaths: true },
  test: {
    projects: [
      {
        extends: true,
        // a process for each file, which loads the same modules again, would take 130 s of CPU time
        test: {
          name: "shared",
          include: ["packages/*/test/**/*.test.ts"],
          exclude: REPLACING_MODULES,
          isolate: false,
        },
      },
      { extends: true, test: { name: "isolated", include: REPLACING_MODULES, isolate: true } },
    ],
    globalSetup: "packages/workshop/src/lower-priority.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Three files keep two cores busy. With more, what a page may take is over before it had the CPU.
    maxWorkers: 3,
    // A test is tagged with the system part that it needs. Without the part it is skipped, never passed.
    tags: SYSTEM_PARTS.map(({ name, purpose }) => ({ name, description: `needs the ${name}, ${purpose}` })),
  },
});
