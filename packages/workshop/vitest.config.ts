import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { SYSTEM_PARTS } from "./src/machine/system-parts.ts";

/** Tests import the sources of workspace packages; packed-client.test.ts checks the built ones. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { tsconfigPaths: true },
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    globalSetup: "packages/workshop/src/lower-priority.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests that start browsers and servers must not share state between files.
    isolate: true,
    // Three files keep two cores busy. With more, what a page may take is over before it had the CPU.
    maxWorkers: 3,
    // A test is tagged with the system part that it needs. Without the part it is skipped, never passed.
    tags: SYSTEM_PARTS.map(({ name, purpose }) => ({ name, description: `needs the ${name}, ${purpose}` })),
  },
});
