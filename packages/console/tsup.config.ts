import { defineConfig } from "tsup";
import { library } from "../workshop/src/tsup-options.ts";

/** Runs after Vite, whose output is in `dist/app`. */
export default defineConfig({ ...library({ index: "src/index.ts" }), clean: ["!app/**"] });
