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
    expect(page.match(/^  server --> (?!storage-).*/gm)).toEqual([
      "  server --> console",
      "  server --> engine",
      "  server --> protocol",
    ]);
    expect(page).toContain("  client --> protocol\n");
    expect(page).toContain("  server --> storage-sqlite\n");
    expect(page).toMatch(/^# A\n\n```mermaid\n%% Generated from .*\n```\n\n```mermaid\nkept\n```\n$/s);
  });

  it("is required", () => {
    expect(() => withPackageDiagram("# A\n")).toThrow("no diagram of the packages");
  });
});
