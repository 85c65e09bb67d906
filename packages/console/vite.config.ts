import { defineConfig } from "vite";

/** Relative URLs make the files work under any path. */
export default defineConfig({
  root: "src/app",
  base: "./",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../dist/app",
    emptyOutDir: true,
    target: "es2023",
    // the console's content security policy blocks `data:` URLs
    assetsInlineLimit: 0,
    modulePreload: false,
    // the script contains Preact and uPlot
    license: { fileName: "licenses.md" },
    reportCompressedSize: false,
  },
});
