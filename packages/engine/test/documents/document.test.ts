import { describe, expect, it } from "vitest";
import { createDocument, type DocumentContent } from "../../src/documents/document.ts";
import { isSnapError } from "../../src/errors.ts";

const PAGE = { path: "index.html", bytes: "<p>Hello</p>" };

function withFiles(...paths: readonly string[]): DocumentContent {
  return { files: [PAGE, ...paths.map((path) => ({ path, bytes: "" }))] };
}

async function errorOf(content: DocumentContent): Promise<unknown> {
  const failure = await createDocument(content).catch((error: unknown) => error);
  if (!isSnapError(failure)) throw failure;
  const { code, errors } = failure;
  return { code, errors };
}

describe("a document", () => {
  it("has an id that is the digest of its paths and bytes, each preceded by its length", async () => {
    const { id, url, contentType, files } = await createDocument({ html: "<p>Hello</p>" });
    // printf 'snap-document-v1\n\0\0\0\0\0\0\0\nindex.html\0\0\0\0\0\0\0\014<p>Hello</p>' | sha256sum
    expect(id).toBe("8467432f342eb7eb7d12be99527b892c945950211b9c71646c1bd51cd0e1bdeb");
    expect(url).toBe(`https://documents.snap.invalid/${id}/`);
    expect(contentType).toBe("text/html");
    const bytes = Buffer.from("<p>Hello</p>");
    expect(files).toEqual([{ path: "index.html", contentType: "text/html; charset=utf-8", bytes }]);
  });

  it("has the same id however it is sent, and a different id for any other content", async () => {
    const style = { path: "style.css", bytes: "p {}" };
    const accented = { path: "caf\u00e9.css", bytes: "" };
    const idOf = async (content: DocumentContent): Promise<string> => (await createDocument(content)).id;
    expect(await idOf({ html: Buffer.from(PAGE.bytes) })).toBe(await idOf({ files: [PAGE] }));
    expect(await idOf({ markdown: "# A" })).toBe(await idOf({ files: [{ path: "index.md", bytes: "# A" }] }));
    expect(await idOf({ files: [PAGE, style] })).toBe(
      await idOf({ files: [style, PAGE], contentType: "application/zip" }),
    );
    expect(await idOf({ files: [PAGE, accented] })).toBe(
      await idOf({ files: [PAGE, { ...accented, path: "cafe\u0301.css" }] }),
    );
    const ids = await Promise.all(
      [
        [PAGE],
        [PAGE, style],
        [PAGE, { ...style, path: "styl", bytes: "e.cssp {}" }],
        [PAGE, { ...style, bytes: "p {} " }],
        [PAGE, style, { path: "a", bytes: "" }],
      ].map((files) => idOf({ files })),
    );
    expect(new Set(ids).size).toBe(5);
  });

  it("treats a file without an extension as binary, even if it is named json", async () => {
    const bytes = new Uint8Array([0xff, 0x00]);
    const { files } = await createDocument({ files: [PAGE, { path: "data.d/json", bytes }] });
    expect(files[0]).toEqual({ path: "data.d/json", contentType: "application/octet-stream", bytes });
  });

  it("has files sorted by path, with content types by name", async () => {
    const paths = [
      "z.PNG",
      "é.svg",
      "a/b.js",
      "a/font.woff2",
      "data.JSON",
      "readme",
      ".hidden",
      "a.constructor",
    ];
    const { files } = await createDocument(withFiles(...paths));
    expect(files.map(({ path, contentType }) => `${path}: ${contentType}`)).toEqual([
      ".hidden: application/octet-stream",
      "a.constructor: application/octet-stream",
      "a/b.js: text/javascript; charset=utf-8",
      "a/font.woff2: font/woff2",
      "data.JSON: application/json; charset=utf-8",
      "index.html: text/html; charset=utf-8",
      "readme: application/octet-stream",
      "z.PNG: image/png",
      "é.svg: image/svg+xml; charset=utf-8",
    ]);
  });

  it("is hashed in slices, without blocking other work, however small its files are", async () => {
    let turns = 0;
    const isDone = new AbortController();
    const countTurn = (): void => {
      turns += 1;
      if (!isDone.signal.aborted) setImmediate(countTurn);
    };
    setImmediate(countTurn);
    const bytes = Buffer.alloc(64 * 1024);
    const files = Array.from({ length: 128 }, (_, index) => ({ path: `${index}.png`, bytes }));
    await createDocument({ files: [{ path: "index.html", bytes: "page" }, ...files] });
    isDone.abort();
    expect(turns).toBeGreaterThanOrEqual(7);
  });
});

describe("a document is rejected", () => {
  it.each([
    ["/etc/passwd", "must have a relative path, without a drive letter"],
    ["C:/boot.ini", "must have a relative path, without a drive letter"],
    ["../up.css", "must have a path without empty, . or .. segments"],
    ["a/../../up.css", "must have a path without empty, . or .. segments"],
    ["a//b", "must have a path without empty, . or .. segments"],
    ["./a", "must have a path without empty, . or .. segments"],
    ["a/", "must have a path without empty, . or .. segments"],
    ["", "must have a path without empty, . or .. segments"],
    ["a\\b", "must have a path without backslashes, control characters or unpaired surrogates"],
    ["a\0b", "must have a path without backslashes, control characters or unpaired surrogates"],
    ["a\nb", "must have a path without backslashes, control characters or unpaired surrogates"],
    ["a\u009bb", "must have a path without backslashes, control characters or unpaired surrogates"],
    ["a\ud800", "must have a path without backslashes, control characters or unpaired surrogates"],
    ["a\ufffd", "must have a name that is valid UTF-8"],
  ])("with the path %j", async (path, message) => {
    expect(await errorOf(withFiles(path))).toEqual({
      code: "validation_failed",
      errors: { [path.toWellFormed()]: [message] },
    });
  });

  it("with a path of more than 255 bytes", async () => {
    await createDocument(withFiles("é".repeat(127)));
    expect(await errorOf(withFiles("é".repeat(128)))).toEqual({
      code: "validation_failed",
      errors: { ["é".repeat(128)]: ["must have a path of at most 255 bytes"] },
    });
  });

  it("with a path that is too long, without normalizing it", async () => {
    // normalizing this path would take minutes
    const path = `a${"\u0315".repeat(150_000)}${"\u0316".repeat(150_000)}`;
    expect(await errorOf(withFiles(path))).toMatchObject({ code: "validation_failed" });
  });

  it("with the same path twice, even in another Unicode normalization; case is significant", async () => {
    await createDocument(withFiles("a.css", "A.css"));
    for (const [first, second] of [
      ["a.css", "a.css"],
      ["caf\u00e9.css", "cafe\u0301.css"],
    ] as const)
      expect(await errorOf(withFiles(first, second))).toEqual({
        code: "validation_failed",
        errors: { [first]: ["is sent more than once"] },
      });
  });

  it("with a name that is both a file and a folder", async () => {
    const problem = ["is both a file and a folder"];
    const failure = { code: "validation_failed", errors: { a: problem } };
    expect(await errorOf(withFiles("a", "a/b/c"))).toEqual(failure);
    expect(await errorOf(withFiles("a/b/c", "a"))).toEqual(failure);
    expect(
      await errorOf({
        files: [
          { path: "index.md", bytes: "" },
          { path: "index.html/a", bytes: "" },
        ],
      }),
    ).toMatchObject({ errors: { "index.html": problem } });
  });

  it("with text that is not UTF-8", async () => {
    const bytes = Buffer.from("Grüße", "latin1");
    const failure = (name: string): unknown => ({
      code: "validation_failed",
      errors: { [name]: ["must be encoded as UTF-8"] },
    });
    expect(await errorOf({ html: bytes })).toEqual(failure("body"));
    expect(await errorOf({ markdown: bytes })).toEqual(failure("body"));
    for (const path of ["a/b.CSS", "logo.svg"])
      expect(await errorOf({ files: [PAGE, { path, bytes }] })).toEqual(failure(path));
    await createDocument({ files: [PAGE, { path: "a.png", bytes }] });
  });

  it("without exactly one page", async () => {
    const failure = (name: string, message: string): unknown => ({
      code: "validation_failed",
      errors: { [name]: [message] },
    });
    const needed = "must contain index.html or index.md at its root";
    const fileOf = (path: string) => ({ path, bytes: "" });
    expect(await errorOf({ files: [] })).toEqual(failure("body", needed));
    expect(await errorOf({ files: [fileOf("page.html")] })).toEqual(failure("body", needed));
    expect(await errorOf({ files: [fileOf("a"), fileOf("site/Index.HTM")] })).toEqual(
      failure("body", `${needed}; rename or move site/Index.HTM`),
    );
    expect(await errorOf(withFiles("index.md"))).toEqual(
      failure("index.md", "cannot be sent with index.html; send only one of them"),
    );
  });

  it("with more than 500 files or 50 MiB", async () => {
    const paths = Array.from({ length: 499 }, (_, index) => `${index}`);
    await createDocument(withFiles(...paths));
    expect(await errorOf(withFiles(...paths, "one more"))).toEqual({
      code: "payload_too_large",
      errors: { body: ["must contain at most 500 files"] },
    });
    const large = { path: "large.bin", bytes: new Uint8Array(52_428_800 - 12) };
    await createDocument({ files: [large, PAGE] });
    expect(await errorOf({ files: [large, PAGE, { path: "last", bytes: "1" }] })).toEqual({
      code: "payload_too_large",
      errors: { last: ["exceeds the limit of 52428800 bytes for all files together"] },
    });
  });
});
