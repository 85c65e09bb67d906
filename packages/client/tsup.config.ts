import { defineConfig } from "tsup";
import { library } from "../workshop/src/tsup-options.ts";

export default defineConfig(
  library({
    index: "src/index.ts",
    "webhooks/index": "src/webhooks/index.ts",
    "testing/index": "src/testing/index.ts",
  }),
);
