import { defineConfig } from "tsup";
import { library } from "../workshop/src/tsup-options.ts";

/** Two builds of the same sources with different implementations of `#hmac`; `exports` selects one. */
export default defineConfig([
  { ...library({ index: "src/index.ts" }), platform: "neutral", clean: ["!index.node.js"] },
  { ...library({ "index.node": "src/index.ts" }), platform: "node", dts: false, clean: false },
]);
