import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SETTINGS } from "../../../server/src/config/settings.ts";
import { drawPackages, importsOf } from "../../src/docs/drawings/packages.ts";
import { DOORS, STEPS, WHO } from "../../src/docs/drawings/request.ts";
import {
  findStaleFiles,
  generateFiles,
  writeFiles,
  type GeneratedFile,
} from "../../src/docs/generated-files.ts";
import { readComments } from "../../src/docs/reference/read-comments.ts";
import { readPackages, ROOT } from "../../src/repository/workspace.ts";

let files: GeneratedFile[];
let root: string;
beforeAll(async () => {
  files = await generateFiles();
  root = await mkdtemp(join(tmpdir(), "generated-"));
});
afterAll(() => rm(root, { recursive: true }));

const textOf = (path: string): string => files.find((file) => file.path === path)?.text ?? "";

describe("generated files", () => {
  it("are the same bytes each time", async () => {
    expect(await generateFiles()).toEqual(files);
  });

  it("are missed, and noticed when one byte differs", async () => {
    expect(await findStaleFiles(files, root)).toHaveLength(11);
    await writeFiles(files, root);
    expect(await findStaleFiles(files, root)).toEqual([]);
    const page = join(root, "docs/reference/limits.md");
    await writeFile(page, (await readFile(page, "utf8")).replace("20 a minute", "21 a minute"));
    expect(await findStaleFiles(files, root)).toEqual([
      "docs/reference/limits.md: not what the code says; `pnpm site reference` writes it anew",
    ]);
  });
});

describe("reference", () => {
  it.each([
    ["parameters", ["| `url` ", "| `paperFormat` ", "| `clipHeight` ", "| `signature` ", "| `webhookUrl` "]],
    [
      "errors",
      [
        "| `rate_limited` ",
        "| 429 ",
        "| `upstream_error` ",
        "| 502 ",
        "after `Retry-After`, 5 s",
        "| refunded |",
      ],
    ],
    [
      "headers",
      ["| `X-Credits-Remaining` ", "| `X-Webhook-Signature` ", "| `If-None-Match` ", "every answer"],
    ],
    ["limits", ["| 20 a minute ", "| 300 a minute ", "| 2,048 characters ", "| 7 days ", "| 15 minutes "]],
    [
      "configuration",
      ["| `SNAP_ALLOW_TARGETS` ", "| `SNAP_SECRET_KEY` ", "| 45000 ", "a whole number from 0 to 65535"],
    ],
    [
      "command-line",
      ["## snap-server tokens create", "`--expires-in <duration>`", "| 2 ", "## snap-server serve"],
    ],
    ["tools", ["## take-screenshot", "## create-pdf", "## check-usage", "| `credits.remaining` "]],
  ])("%s says what the contract says", (name, texts) => {
    const page = textOf(`docs/reference/${name}.md`);
    for (const text of texts) expect(page).toContain(text);
  });

  it("names for each variable the default that holds", () => {
    const wrong = Object.values(SETTINGS).filter(({ variable, schema, unset }) => {
      // their defaults are described in words
      if (["SNAP_BROWSER_URL", "SNAP_PLANS_FILE"].includes(variable)) return false;
      const standard: unknown = schema.parse(undefined);
      const documented = unset === "none" ? [] : standard === null ? null : schema.parse(unset);
      return JSON.stringify(documented) !== JSON.stringify(standard);
    });
    expect(wrong).toEqual([]);
  });

  it("wants a comment for each member that it tells of", () => {
    const path = "packages/protocol/src/headers.ts";
    expect(() => readComments({ path, name: "WEBHOOK_HEADERS" })).toThrow("id needs a doc comment");
    expect(() => readComments({ path, name: "NOTHING" })).toThrow("has no object NOTHING");
  });
});

describe("drawings", () => {
  it("show the steps of capture, whose modules it imports", async () => {
    const capture = join(ROOT, "packages/engine/src/capture.ts");
    const source = await readFile(capture, "utf8");
    const imported = Array.from(source.matchAll(/ from "(\.[^"]+)"/g), ([, path = ""]) =>
      join(dirname(capture), path),
    );
    for (const { module } of STEPS) expect(imported).toContain(join(ROOT, module));
    expect(STEPS.map(({ name }) => name).join(", ")).toBe(
      "parse, authorize, check target, look up, share, limit, reserve, render, store, settle",
    );
    // The same list stands above the function.
    expect(source.replaceAll(/\s*\n \* /g, " ")).toContain(STEPS.map(({ name }) => name).join(", "));
  });

  it("show doors that there are", () => {
    for (const { module } of [...DOORS, ...Object.values(WHO)])
      expect(existsSync(join(ROOT, module))).toBe(true);
  });

  it("show each package and each import", () => {
    const packages = readPackages().filter(({ manifest }) => manifest.private !== true);
    const arrows = packages.flatMap((part) => importsOf(part, packages));
    const svg = drawPackages();
    for (const { name } of packages) expect(svg).toContain(`>${name}</text>`);
    expect(svg.match(/marker-end/g)).toHaveLength(arrows.length);
    const server = packages.find(({ name }) => name === "@snap/server");
    expect(server && importsOf(server, packages)).toEqual([
      "@snap/engine",
      "@snap/protocol",
      "@snap/storage-postgres",
      "@snap/storage-redis",
      "@snap/storage-sqlite",
    ]);
  });
});
