import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findStaleFiles, generateFiles, writeStaleFiles } from "../../src/docs/generate.ts";
import { readComments } from "../../src/docs/reference/page.ts";
import { withPackageDiagram } from "../../src/docs/package-diagram.ts";

let files: ReadonlyMap<string, string>;
let root: string;
beforeAll(async () => {
  files = await generateFiles();
  root = await mkdtemp(join(tmpdir(), "generated-"));
});
afterAll(() => rm(root, { recursive: true }));

const textOf = (path: string): string => files.get(path) ?? "";

describe("generated files", () => {
  it("are deterministic", async () => {
    expect(await generateFiles()).toEqual(files);
  });

  it("are stale if they are missing or differ by a byte", async () => {
    expect(await findStaleFiles(files, root)).toEqual([...files.keys()]);
    for (const path of files.keys()) await mkdir(dirname(join(root, path)), { recursive: true });
    await writeStaleFiles(files, root);
    expect(await findStaleFiles(files, root)).toEqual([]);
    const page = join(root, "docs/reference/limits.md");
    await writeFile(page, (await readFile(page, "utf8")).replace("20 per minute", "21 per minute"));
    expect(await findStaleFiles(files, root)).toEqual(["docs/reference/limits.md"]);
  });
});

describe("the reference", () => {
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
      ["| `X-Credits-Remaining` ", "| `X-Webhook-Signature` ", "| `If-None-Match` ", "every response"],
    ],
    [
      "limits",
      ["| 20 per minute ", "| 300 per minute ", "| 2,048 characters ", "| 7 days ", "| 15 minutes "],
    ],
    [
      "configuration",
      ["| `SNAP_ALLOW_TARGETS` ", "| `SNAP_SECRET_KEY` ", "| 45000 ", "a whole number from 0 to 65535"],
    ],
    [
      "command-line",
      ["## snap-server tokens create", "`--expires-in <duration>`", "| 2 ", "## snap-server serve"],
    ],
    ["tools", ["## take-screenshot", "## create-pdf", "## check-usage", "| `credits.remaining` "]],
  ])("documents the contract: %s", (name, texts) => {
    const page = textOf(`docs/reference/${name}.md`);
    for (const text of texts) expect(page).toContain(text);
  });

  it("requires a comment for each documented member", () => {
    const path = "packages/protocol/src/headers.ts";
    expect(() => readComments(path, "WEBHOOK_HEADERS")).toThrow("id needs a doc comment");
    expect(() => readComments(path, "NOTHING")).toThrow("has no object NOTHING");
  });
});

describe("the diagram of the packages", () => {
  it("has an arrow to each package that a package imports", () => {
    const page = withPackageDiagram(
      "# A\n\n```mermaid\n%% Generated long ago\n```\n\n```mermaid\nkept\n```\n",
    );
    expect(page.match(/^  server -->.*/gm)).toEqual([
      "  server --> console",
      "  server --> engine",
      "  server --> protocol",
      "  server --> storage-postgres",
      "  server --> storage-redis",
      "  server --> storage-sqlite",
    ]);
    expect(page).toContain("  client --> protocol\n");
    expect(page).toMatch(/^# A\n\n```mermaid\n%% Generated from .*\n```\n\n```mermaid\nkept\n```\n$/s);
  });

  it("is required", () => {
    expect(() => withPackageDiagram("# A\n")).toThrow("no diagram of the packages");
  });
});
