import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run, extendPath } from "../src/machine/run.ts";
import { ROOT } from "../src/workspace.ts";

/** Forbidden imports: the rule that each breaks, the file, and the import. */
const FORBIDDEN_IMPORTS: readonly (readonly [rule: string, file: string, line: string])[] = [
  ["protocol-is-closed", "packages/protocol/src/a.ts", 'import "zod";'],
  ["protocol-is-closed", "packages/protocol/src/b.ts", 'import "node:crypto";'],
  ["hmac-node-is-closed", "packages/protocol/src/signing/hmac-node.ts", 'import "node:fs";'],
  ["hmac-portable-is-closed", "packages/protocol/src/signing/hmac-portable.ts", 'import "node:crypto";'],
  ["client-is-closed", "packages/client/src/a.ts", 'import "zod";'],
  ["client-is-closed", "packages/client/src/b.ts", 'import "@snap/engine";'],
  ["client-is-closed", "packages/client/src/c.ts", 'import type { URL } from "node:url";'],
  ["engine-is-closed", "packages/engine/src/a.ts", 'import "express";'],
  ["engine-is-closed", "packages/engine/src/b.ts", 'import "pg";'],
  ["engine-is-closed", "packages/engine/src/i.ts", 'import "built-library";'],
  ["engine-is-closed", "packages/engine/src/c.ts", 'import type { Storage } from "@snap/testing";'],
  ["engine-knows-no-sql", "packages/engine/src/d.ts", 'import "node:sqlite";'],
  ["domain-knows-no-http", "packages/engine/src/e.ts", 'import "node:http";'],
  ["domain-reads-no-clock", "packages/engine/src/h.ts", 'import "./timeouts.ts";'],
  ["browser-only-behind-its-subpath", "packages/engine/src/f.ts", 'import "puppeteer";'],
  ["browser-only-behind-its-subpath", "packages/engine/src/g.ts", 'import "./puppeteer/index.ts";'],
  ["storage-sqlite-is-closed", "packages/storage-sqlite/src/a.ts", 'import "pg";'],
  [
    "storages-use-types-of-the-ports-only",
    "packages/storage-sqlite/src/b.ts",
    'import { capture } from "@snap/engine/ports"; capture();',
  ],
  ["storage-redis-is-closed", "packages/storage-redis/src/a.ts", 'import "pg";'],
  ["console-is-closed", "packages/console/src/app/a.ts", 'import "@snap/engine";'],
  ["console-is-closed", "packages/console/src/b.ts", 'import "express";'],
  ["web-application-knows-no-node", "packages/console/src/app/c.ts", 'import "node:fs";'],
  ["tools-know-no-http-endpoint", "packages/server/src/mcp/a.ts", 'import "../http/a.ts";'],
  ["server-is-closed", "packages/server/src/a.ts", 'import "@snap/testing";'],
  ["other-packages-by-their-name", "packages/server/src/b.ts", 'import "../../engine/src/index.ts";'],
  ["other-packages-by-their-name", "examples/one/a.ts", 'import "../../packages/engine/src/index.ts";'],
  ["other-packages-by-their-name", "examples/one/b.ts", 'import "../another/main.ts";'],
  ["examples-use-what-is-published", "examples/one/c.ts", 'import "@snap/testing";'],
  ["examples-use-what-is-published", "examples/one/d.ts", 'import "@snap/protocol";'],
  ["sources-use-no-tests", "packages/server/src/c.ts", 'import "../test/d.ts";'],
  [
    "only-tests-and-the-benchmark-start-servers",
    "examples/one/f.ts",
    'import "../../packages/testing/test/servers/redis.ts";',
  ],
  ["other-packages-by-their-name", "packages/server/test/b.test.ts", 'import "../../testing/test/b.ts";'],
  [
    "nothing-needs-the-private-packages",
    "packages/server/test/c.test.ts",
    'import "../../workshop/src/a.ts";',
  ],
  ["published-code-declares-what-it-uses", "packages/server/src/e.ts", 'import "left-pad";'],
  ["storages-know-the-ports-only", "packages/storage-redis/src/b.ts", 'import type {} from "@snap/engine";'],
  ["internals-are-the-server's", "examples/one/e.ts", 'import "@snap/engine/internals";'],
  ["no-missing-module", "packages/server/test/d.ts", 'import "./nowhere.ts";'],
  ["no-cycle", "packages/testing/src/a.ts", 'import "./b.ts";'],
  ["every-package-has-a-row", "packages/newcomer/src/a.ts", 'import "node:fs";'],
];

/**
 * Allowed imports, to show that the rules don't reject everything. They include half of the planted
 * cycle, because a cycle is reported for only one of its files.
 */
const ALLOWED_IMPORTS: readonly (readonly [file: string, line: string])[] = [
  ["packages/protocol/src/index.ts", "export const pinned = 1;"],
  ["packages/engine/src/index.ts", 'import "node:dns"; import "@snap/protocol"; export const capture = 1;'],
  ["packages/engine/src/puppeteer/index.ts", 'import "node:http"; import "../index.ts";'],
  ["packages/engine/src/ports/index.ts", "export const port = 1;"],
  ["packages/engine/src/timeouts.ts", "export const within = 1;"],
  ["packages/engine/src/internals.ts", 'export * from "./timeouts.ts";'],
  ["packages/storage-sqlite/src/index.ts", 'import "node:sqlite"; import type {} from "@snap/engine/ports";'],
  ["packages/storage-redis/src/index.ts", 'import "node:net"; import type {} from "@snap/engine/ports";'],
  ["packages/console/src/index.ts", 'import "node:fs";'],
  ["packages/console/src/app/d.ts", 'import "@snap/protocol";'],
  ["packages/testing/src/b.ts", 'import "./a.ts";'],
  ["packages/testing/src/index.ts", 'import "@snap/engine"; import "@snap/protocol";'],
  ["packages/server/src/index.ts", 'import "@snap/storage-sqlite"; import "@snap/engine/internals";'],
  ["packages/server/src/http/a.ts", "export const endpoint = 1;"],
  ["packages/server/test/a.test.ts", 'import "@snap/testing"; import "../src/index.ts";'],
  ["examples/another/main.ts", 'import "@snap/engine/puppeteer"; import "@snap/storage-sqlite";'],
  ["packages/testing/test/servers/redis.ts", "export const redis = 1;"],
  ["packages/workshop/src/a.ts", 'import "../../server/src/index.ts";'],
  [
    "packages/bench/src/a.ts",
    'import "../../testing/test/servers/redis.ts"; import "../../server/src/index.ts";',
  ],
  ["packages/testing/test/b.ts", "export const helper = 1;"],
  ["packages/storage-redis/test/a.test.ts", 'import "../../testing/test/servers/redis.ts";'],
];

/** An installed library whose entry is in `dist`. */
const LIBRARY: readonly (readonly [file: string, content: string])[] = [
  ["node_modules/built-library/package.json", '{ "name": "built-library", "main": "dist/index.js" }'],
  ["node_modules/built-library/dist/index.js", ""],
];

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

describe("the dependency rules", () => {
  let folder: string;
  let violations: string[];

  beforeAll(async () => {
    extendPath();
    folder = await mkdtemp(join(tmpdir(), "dependency-rules-"));
    await symlink(join(ROOT, "tsconfig.base.json"), join(folder, "tsconfig.base.json"));
    const forbiddenFiles = FORBIDDEN_IMPORTS.map(([, ...fileAndLine]) => fileAndLine);
    for (const [file, content] of [...forbiddenFiles, ...ALLOWED_IMPORTS, ...LIBRARY]) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), content);
    }
    const config = join(ROOT, ".dependency-cruiser.mjs");
    const args = ["--config", config, "--output-type", "json", "packages", "examples"];
    const { output } = await run("depcruise", args, { cwd: folder });
    const { summary } = JSON.parse(output) as { summary: { violations: Violation[] } };
    violations = summary.violations.map(({ from, rule }) => `${rule.name}: ${from}`);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(FORBIDDEN_IMPORTS)("reject an import: %s in %s", (rule, file) => {
    expect(violations).toContain(`${rule}: ${file}`);
  });

  it.each(ALLOWED_IMPORTS)("allow the imports of %s", (file) => {
    expect(violations.filter((violation) => violation.endsWith(`: ${file}`))).toEqual([]);
  });
});
