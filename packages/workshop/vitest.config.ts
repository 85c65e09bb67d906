import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { SYSTEM_PARTS } from "./src/machine/system-parts.ts";

/** Workspace packages are tested from their sources; what is built is checked as packed. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { tsconfigPaths: true },
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests that start browsers and servers must not meet what another file left behind.
    isolate: true,
    // Browsers are heavy: more of them at once than this, and waits for a page grow into time-outs.
    maxWorkers: 2,
    // A test names the system part that it needs; without that part it is skipped, never passed.
    tags: SYSTEM_PARTS.map(({ name, purpose }) => ({ name, description: `needs the ${name}, ${purpose}` })),
  },
});
