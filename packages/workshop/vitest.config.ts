import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { SYSTEM_PARTS } from "./src/machine/system-parts.ts";

/** The files that mock modules that other files use. */
const MODULE_MOCKING_TESTS = [
  "packages/engine/test/simulation/simulation.test.ts",
  "packages/server/test/cli/start-renderer.test.ts",
  "packages/workshop/test/parameters/*.test.ts",
];

/** The files that spend most of their time loading pages. */
const BROWSER_TESTS = [
  "packages/engine/test/puppeteer/**/*.test.ts",
  "packages/console/test/browser/*.test.ts",
  "packages/workshop/test/console/*.test.ts",
  "packages/workshop/test/gallery.test.ts",
];

/** Tests import the sources of workspace packages; programs that they start use the built ones. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { tsconfigPaths: true },
  test: {
    // A process for each file, which loads the same modules again, would take 130 s of CPU time.
    isolate: false,
    // More concurrent renders save no time either: they share the CPU.
    maxConcurrency: 3,
    projects: [
      {
        extends: true,
        // Two files keep two cores busy. With more, pages reach their time limits before they get the CPU.
        test: { name: "browser", include: BROWSER_TESTS, maxWorkers: 2, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        // These often wait for processes and servers.
        test: {
          name: "shared",
          include: ["packages/*/test/**/*.test.ts"],
          exclude: [...BROWSER_TESTS, ...MODULE_MOCKING_TESTS],
          maxWorkers: 5,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "isolated",
          include: MODULE_MOCKING_TESTS,
          isolate: true,
          maxWorkers: 5,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    globalSetup: "packages/workshop/src/lower-priority.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // A test is tagged with the system part that it needs. Without the part it is skipped, never passed.
    tags: SYSTEM_PARTS.map(({ name, purpose }) => ({ name, description: `needs ${name}, ${purpose}` })),
  },
});
