import type { KnipConfig } from "knip";

const published = { entry: ["src/index.ts", "test/**/*.test.ts"], project: ["{src,test}/**/*.ts"] };

/** Unused files, exports and dependencies are errors. */
export default {
  // A type used only in its file still documents an exported function.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Programs that tests start, and that no package provides.
  ignoreBinaries: ["ip", "mkfifo", "openssl", "redis-cli", "script"],
  // Most ignored dependencies are commands or their plugins, which checks and tests start by name.
  // Guides import @snap/client, and run @snap/server with `npx`.
  workspaces: {
    ".": {
      entry: [".dependency-cruiser.mjs", "docs/.vitepress/{config,theme/index}.ts"],
      // vitepress builds the pages in docs/, which must be able to resolve it.
      ignoreDependencies: ["@snap/client", "@snap/server", "oxlint", "oxlint-tsgolint", "vitepress"],
    },
    "examples/*": { project: ["*.ts"] },
    "examples/recipes": { entry: ["*.ts"] },
    "packages/*": published,
    "packages/engine": {
      ...published,
      entry: [...published.entry, "src/{internals,ports/index,puppeteer/index,documents/markdown-worker}.ts"],
    },
    "packages/client": {
      ...published,
      entry: [...published.entry, "src/{webhooks,testing}/index.ts", "test/types/form.ts"],
    },
    "packages/server": { ...published, entry: [...published.entry, "src/cli.ts"] },
    "packages/console": {
      entry: [
        "src/{index.ts,app/index.html,app/main.tsx}",
        "test/**/*.test.ts",
        "test/stub/serve.ts",
        "test/screenshots/take-screenshots.ts",
      ],
      project: ["{src,test}/**/*.{ts,tsx}"],
    },
    "packages/bench": {
      entry: [
        "src/{main,lean-load,ways/way-process,site/{bare-server,serve-*},neighbors/serve-*}.ts",
        "test/**/*.test.ts",
      ],
      project: ["{src,test}/**/*.ts"],
    },
    "packages/workshop": {
      entry: [
        "src/{launch,test-all,check,count-tests,site,docs/site-{config,theme}}.ts",
        "test/**/*.test.ts",
        "test/examples/*.ts",
        "*.config.ts",
      ],
      project: ["{src,test}/**/*.ts"],
      // Guides import the first two.
      ignoreDependencies: [
        "hono",
        "@modelcontextprotocol/client",
        "@arethetypeswrong/cli",
        "dependency-cruiser",
        "newman",
        "remark-cli",
        "remark-validate-links",
        "publint",
      ],
    },
  },
} satisfies KnipConfig;
