// Rules for imports between packages. A package may import only the modules in its row.

const sourcesOf = (name) => `^packages/${name}/src/`;
const npm = (name) => `(^|/)node_modules/${name}/`;

/** puppeteer, and the libraries with which it connects to remote browsers. */
const BROWSER_LIBRARIES = ["puppeteer", "puppeteer-core", "devtools-protocol", "ws", "@types/ws"].map(npm);
const ANY_NPM = npm("[^/.]+");
/** Real servers for the tests of several packages. They are not published, so they are not in `src`. */
const SHARED_HELPERS = "^packages/testing/test/servers/";
/** Sample values of the conformance suites, for the other tests of the storages. */
const SHARED_SAMPLES = "^packages/testing/src/suites/[a-z]+-samples[.]ts$";
/** Packages that are never published. */
const PRIVATE = ["workshop", "bench"].map(sourcesOf);
const STORAGES = sourcesOf("storage-[a-z]+");
/** Bundled with everything it imports, which is not installed with the package. */
const WEB_APPLICATION = "^packages/console/src/app/";

/** `node: false` marks packages that also run in browsers, Deno and workers. */
const MAY_IMPORT = {
  protocol: { node: false, modules: [] },
  client: { node: false, modules: [sourcesOf("protocol")] },
  engine: {
    node: true,
    modules: [
      sourcesOf("protocol"),
      ...[
        "zod",
        "p-queue",
        "lru-cache",
        "@duckduckgo/autoconsent",
        "@ghostery/adblocker",
        "aws4fetch",
        "marked",
        "sharp",
      ].map(npm),
      ...BROWSER_LIBRARIES,
    ],
  },
  "storage-sqlite": { node: true, modules: [sourcesOf("engine")] },
  "storage-postgres": { node: true, modules: [sourcesOf("engine"), npm("pg")] },
  "storage-redis": { node: true, modules: [sourcesOf("engine"), npm("@redis/client")] },
  testing: { node: true, modules: [sourcesOf("engine"), sourcesOf("protocol")] },
  console: { node: true, modules: [sourcesOf("protocol"), npm("preact"), npm("uplot")] },
  server: {
    node: true,
    modules: [...["engine", "protocol", "console"].map(sourcesOf), STORAGES, ANY_NPM],
  },
};

/** The variants of `#hmac`: each may import its one library. The portable one is bundled into the build. */
const HMAC_VARIANTS = {
  "hmac-node": "^(node:)?crypto$",
  "hmac-portable": npm("@noble/hashes"),
};
const hmacVariant = (name) => `^packages/protocol/src/signing/${name}[.]ts$`;

const closed = Object.entries(MAY_IMPORT).map(([name, { node, modules }]) => ({
  name: `${name}-is-closed`,
  severity: "error",
  from: { path: sourcesOf(name), pathNot: Object.keys(HMAC_VARIANTS).map(hmacVariant) },
  to: {
    pathNot: [sourcesOf(name), `^packages/${name}/package[.]json$`, ...modules],
    ...(node && { dependencyTypesNot: ["core"] }),
  },
}));

const closedVariants = Object.entries(HMAC_VARIANTS).map(([name, library]) => ({
  name: `${name}-is-closed`,
  severity: "error",
  from: { path: hmacVariant(name) },
  to: { pathNot: library },
}));

/** Without this rule, a package without a row could import anything. */
const everyPackageHasARow = {
  name: "every-package-has-a-row",
  severity: "error",
  from: { path: sourcesOf("[^/]+"), pathNot: [...Object.keys(MAY_IMPORT).map(sourcesOf), ...PRIVATE] },
  to: {},
};

const within = [
  {
    name: "browser-only-behind-its-subpath",
    severity: "error",
    from: { path: sourcesOf("engine"), pathNot: "^packages/engine/src/puppeteer/" },
    to: { path: ["^packages/engine/src/puppeteer/", ...BROWSER_LIBRARIES, "^puppeteer"] },
  },
  {
    name: "domain-knows-no-http",
    severity: "error",
    from: { path: sourcesOf("engine"), pathNot: "^packages/engine/src/(puppeteer|egress)/" },
    to: { path: "^(node:)?(http|https|http2)$" },
  },
  {
    name: "domain-reads-no-clock",
    severity: "error",
    from: {
      path: sourcesOf("engine"),
      pathNot: "^packages/engine/src/((puppeteer|egress)/|internals[.]ts$)",
    },
    to: { path: "^packages/engine/src/timeouts[.]ts$" },
  },
  {
    name: "engine-knows-no-sql",
    severity: "error",
    from: { path: sourcesOf("engine") },
    to: { path: "^(node:)?sqlite$" },
  },
  {
    name: "tools-know-no-http-endpoint",
    comment: "Shared code belongs in requests.",
    severity: "error",
    from: { path: "^packages/server/src/(admin|mcp|requests)/" },
    to: { path: "^packages/server/src/http/" },
  },
  {
    name: "web-application-knows-no-node",
    comment: "It runs in browsers. Only the list of its files is for the server.",
    severity: "error",
    from: { path: WEB_APPLICATION },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "storages-use-types-of-the-ports-only",
    severity: "error",
    from: { path: STORAGES },
    to: { path: sourcesOf("engine"), dependencyTypesNot: ["type-only"] },
  },
  {
    name: "storages-know-the-ports-only",
    severity: "error",
    from: { path: STORAGES },
    to: { path: sourcesOf("engine"), pathNot: "^packages/engine/src/ports/index[.]ts$" },
  },
  {
    name: "internals-are-the-server's",
    severity: "error",
    from: { path: "^(packages|examples)/", pathNot: [sourcesOf("server"), ...PRIVATE, "/test/"] },
    to: { path: "^packages/engine/src/internals[.]ts$" },
  },
];

const everywhere = [
  {
    name: "other-packages-by-their-name",
    comment:
      "An import by name is aliased (tsconfig.base.json) or, through node_modules, undetermined. Tool configurations come from the workshop and are not published. Private packages may import the others by path.",
    severity: "error",
    from: {
      path: "^(packages|examples)/([^/]+)/",
      pathNot: [...PRIVATE, "^packages/workshop/test/", "[.]config[.]ts$"],
    },
    to: {
      path: "^(packages|examples)/",
      pathNot: ["^$1/$2/", SHARED_HELPERS, SHARED_SAMPLES],
      dependencyTypesNot: ["aliased", "undetermined"],
    },
  },
  {
    name: "examples-use-what-is-published",
    comment: "And of those, only packages that users install directly.",
    severity: "error",
    from: { path: "^examples/" },
    to: { path: "^packages/", pathNot: ["engine", "storage-sqlite", "server", "client"].map(sourcesOf) },
  },
  {
    name: "nothing-needs-the-private-packages",
    comment:
      "Not even tests may import them, so that a published package can be built and tested without them.",
    severity: "error",
    from: { path: "^(packages|examples)/", pathNot: ["^packages/(workshop|bench)/", "[.]config[.]ts$"] },
    to: { path: "^packages/(workshop|bench)/" },
  },
  {
    name: "sources-use-no-tests",
    severity: "error",
    from: { path: sourcesOf("[^/]+") },
    to: { path: "^packages/[^/]+/test/", pathNot: SHARED_HELPERS },
  },
  {
    name: "only-tests-and-the-benchmark-start-servers",
    comment: "The gallery shows the same pages as the tests.",
    severity: "error",
    from: { pathNot: ["^packages/[^/]+/test/", sourcesOf("bench"), "^packages/workshop/src/gallery/"] },
    to: { path: SHARED_HELPERS },
  },
  {
    name: "published-code-declares-what-it-uses",
    severity: "error",
    from: {
      path: sourcesOf("[^/]+"),
      pathNot: [...PRIVATE, hmacVariant("hmac-portable"), WEB_APPLICATION],
    },
    to: {
      dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown", "unknown", "undetermined"],
      dependencyTypesNot: ["npm-peer"],
    },
  },
  { name: "no-missing-module", severity: "error", from: {}, to: { couldNotResolve: true } },
  {
    name: "no-cycle",
    severity: "error",
    from: {},
    to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
  },
];

export default {
  forbidden: [...closed, ...closedVariants, everyPackageHasARow, ...within, ...everywhere],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: ["^packages/[^/]+/dist/", "/node_modules/[.]cache/"] },
    // Include type imports, which are part of the published declarations.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "node", "default"],
    },
  },
};
