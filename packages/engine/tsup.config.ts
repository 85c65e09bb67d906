import { defineConfig } from "tsup";
import { library } from "../workshop/src/tsup-options.ts";

export default defineConfig(
  library({
    index: "src/index.ts",
    internals: "src/internals.ts",
    "markdown-worker": "src/documents/markdown-worker.ts",
    "ports/index": "src/ports/index.ts",
    "puppeteer/index": "src/puppeteer/index.ts",
  }),
);
