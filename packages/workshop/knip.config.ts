import type { KnipConfig } from "knip";

const published = { entry: ["src/index.ts", "test/**/*.test.ts"], project: ["{src,test}/**/*.ts"] };

/** What nobody uses is an error: files, exports, dependencies. */
export default {
  // A type that only its own file names still documents an exported function.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // A part of the system (src/machine/system-parts.ts).
  ignoreBinaries: ["openssl"],
  // The ignored dependencies are commands: those that src/checks starts, and snap-server for `npx`.
  workspaces: {
    ".": {
      entry: [".dependency-cruiser.mjs", "docs/.vitepress/config.ts"],
      // The pages of docs/ are built where they are, so the site's generator is looked for from there.
      ignoreDependencies: ["@snap/server", "oxlint", "oxlint-tsgolint", "vitepress"],
    },
    "examples/*": { entry: ["{main,check}.ts"], project: ["*.ts"] },
    "packages/*": published,
    "packages/engine": {
      ...published,
      entry: [...published.entry, "src/{internals,ports/index,puppeteer/index}.ts"],
    },
    "packages/client": { ...published, entry: [...published.entry, "src/webhooks/index.ts"] },
    "packages/server": { ...published, entry: [...published.entry, "src/cli.ts"] },
    "packages/workshop": {
      entry: [
        "src/{launch,test-all,build,check,bench,count-tests,site,bench/programs/*,examples/*,servers/redis,docs/site-config}.ts",
        "test/**/*.test.ts",
        "*.config.ts",
      ],
      project: ["{src,test}/**/*.ts"],
      // A guide imports the first.
      ignoreDependencies: [
        "@modelcontextprotocol/client",
        "@arethetypeswrong/cli",
        "dependency-cruiser",
        "publint",
      ],
    },
  },
} satisfies KnipConfig;
