import { isSnapError } from "@snap/engine";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createTemporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";
import { readZip } from "../../src/documents/read-zip.ts";
import { zipOf, type ZipEntry } from "./zip.ts";

const PAGE: ZipEntry = { name: "index.html", bytes: "<p>Hello</p>" };

async function contentsOf(body: Buffer): Promise<Record<string, string>> {
  const files = await readZip(body);
  return Object.fromEntries(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString("latin1")]));
}

async function errorOf(body: Buffer): Promise<unknown> {
  const error = await readZip(body).catch((thrown: unknown) => thrown);
  if (!isSnapError(error)) throw error;
  const { code, errors } = error;
  return { code, errors };
}

describe("readZip", () => {
  it("reads stored and deflated files unchanged", async () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 200_000 }, (_, index) => (index * index) % 251));
    const entries = [
      PAGE,
      { name: "a/", bytes: "" },
      { name: "a/b.bin", bytes, method: 0 },
      { name: "é", bytes },
    ];
    expect(await contentsOf(zipOf(entries))).toEqual({
      "index.html": "<p>Hello</p>",
      "a/b.bin": bytes.toString("latin1"),
      é: bytes.toString("latin1"),
    });
    expect(await readZip(zipOf([]))).toEqual([]);
  });

  it("decodes names without the UTF-8 flag as UTF-8, or as code page 437 if they are not valid UTF-8", async () => {
    const name = Buffer.from("caf\x82.css", "latin1");
    expect(Object.keys(await contentsOf(zipOf([PAGE, { name, flags: 0 }])))).toContain("café.css");
    expect(Object.keys(await contentsOf(zipOf([PAGE, { name: "größe/ü.png", flags: 0 }])))).toContain(
      "größe/ü.png",
    );
    expect(Object.keys(await contentsOf(zipOf([PAGE, { name: "a\x01b", flags: 0 }])))).toContain("a\x01b");
  });

  it("strips a single top-level folder, and skips the files that macOS adds", async () => {
    const entries = [
      { name: "site/" },
      { ...PAGE, name: "site/index.html" },
      { name: "site/.DS_Store" },
      { name: "site/a/b.css" },
      { name: "__MACOSX/site/._index.html", bytes: "x" },
    ];
    expect(Object.keys(await contentsOf(zipOf(entries)))).toEqual(["index.html", "a/b.css"]);
    expect(Object.keys(await contentsOf(zipOf([...entries, { name: "other" }])))).toContain(
      "site/index.html",
    );
  });

  it.each(["..", ".", "C:", "", "a\\b"])(
    "does not strip the top-level folder %j, which is invalid in a path",
    async (folder) => {
      const name = `${folder}/index.html`;
      expect(Object.keys(await contentsOf(zipOf([{ ...PAGE, name }])))).toEqual([name]);
    },
  );

  it("reads a ZIP file written by Python", async () => {
    const folder = await createTemporaryDirectory();
    await mkdir(join(folder, "site/ü"), { recursive: true });
    await writeFile(join(folder, "site/index.html"), "<p>Hello</p>".repeat(100));
    await writeFile(join(folder, "site/ü/a.css"), "");
    const script = `import sys, zipfile
with zipfile.ZipFile("plain.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    for name in ("site/index.html", "site/ü/a.css"): archive.write(name)`;
    await promisify(execFile)("python3", ["-c", script], { cwd: folder });
    expect(await contentsOf(await readFile(join(folder, "plain.zip")))).toEqual({
      "index.html": "<p>Hello</p>".repeat(100),
      "ü/a.css": "",
    });
  });
});

describe("readZip rejects a ZIP file", () => {
  it.each<[string, Partial<ZipEntry>, string]>([
    ["a symbolic link", { mode: 0o120777 }, "must be a regular file, not a link or a device"],
    ["a device", { mode: 0o020666 }, "must be a regular file, not a link or a device"],
    ["a pipe", { mode: 0o010666 }, "must be a regular file, not a link or a device"],
    ["an encrypted file", { flags: 0x801 }, "must not be encrypted"],
    ["an unsupported compression method", { method: 14 }, "must be uncompressed or compressed with Deflate"],
    ["a wrong checksum", { checksum: 7 }, "is corrupt: its data does not match its size or checksum"],
    [
      "a size that is too small",
      { uncompressedSize: 2 },
      "is corrupt: its data does not match its size or checksum",
    ],
    [
      "a size that is too large",
      { uncompressedSize: 2000 },
      "is corrupt: its data does not match its size or checksum",
    ],
  ])("with %s", async (_, change, message) => {
    expect(await errorOf(zipOf([PAGE, { name: "a/b", bytes: "content", ...change }]))).toEqual({
      code: "validation_failed",
      errors: { "a/b": [message] },
    });
  });

  it.each<[string, Partial<ZipEntry>, string]>([
    ["links/", { mode: 0o120777 }, "must be a regular file, not a link or a device"],
    ["__MACOSX/link", { mode: 0o120777 }, "must be a regular file, not a link or a device"],
    ["../x/", {}, "must have a path without empty, . or .. segments"],
    ["__MACOSX/../../x", {}, "must have a path without empty, . or .. segments"],
    ["/etc/", {}, "must have a relative path, without a drive letter"],
  ])("with the invalid entry %s, even though a valid one would be skipped", async (name, change, message) => {
    expect(await errorOf(zipOf([PAGE, { name, ...change }]))).toEqual({
      code: "validation_failed",
      errors: { [name]: [message] },
    });
  });

  it.each<[string, Buffer]>([
    ["zero bytes long", Buffer.alloc(0)],
    ["actually HTML", Buffer.from("<p>Hello</p>".repeat(100))],
    ["truncated at the end", zipOf([PAGE]).subarray(0, -30)],
    ["truncated at the start", zipOf([PAGE]).subarray(20)],
    ["missing entries that its end of central directory record counts", zipOf([PAGE], 3)],
  ])("that is %s", async (_, body) => {
    expect(await errorOf(body)).toEqual({
      code: "validation_failed",
      errors: { body: ["must be a well-formed ZIP file"] },
    });
  });

  it("with more than 500 files or more than 2,000 entries", async () => {
    const files = Array.from({ length: 501 }, (_, index) => ({ name: `${index}` }));
    const folders = Array.from({ length: 2001 }, (_, index) => ({ name: `${index}/` }));
    expect(await readZip(zipOf(files.slice(1)))).toHaveLength(500);
    const failure = (limit: string): object => ({
      code: "payload_too_large",
      errors: { body: [`must contain at most ${limit}`] },
    });
    expect(await errorOf(zipOf(files))).toEqual(failure("500 files"));
    for (const zip of [zipOf(folders), zipOf([PAGE], 65_000)])
      expect(await errorOf(zip)).toEqual(failure("500 files, and a ZIP file at most 2000 files and folders"));
  });

  it("that inflates to more than 50 MiB, whatever sizes it declares", async () => {
    const bytes = new Uint8Array(30_000_000);
    const failure = (name: string): unknown => ({
      code: "payload_too_large",
      errors: { [name]: ["exceeds the limit of 52428800 bytes for all files together"] },
    });
    const entries = [PAGE, { name: "a", bytes }, { name: "b", bytes }, { name: "c" }];
    expect(await errorOf(zipOf(entries))).toEqual(failure("b"));
    const bomb = { name: "bomb", bytes: new Uint8Array(60_000_000) };
    expect(await errorOf(zipOf([PAGE, bomb]))).toEqual(failure("bomb"));
    // stops as soon as the content exceeds the declared size
    expect(await errorOf(zipOf([PAGE, { ...bomb, uncompressedSize: 100 }]))).toEqual({
      code: "validation_failed",
      errors: { bomb: ["is corrupt: its data does not match its size or checksum"] },
    });
  });
});
