import { isSnapError } from "@snap/engine";
import { describe, expect, it, vi } from "vitest";
import { readMultipart } from "../../src/documents/read-multipart.ts";

const TYPE = "multipart/form-data; boundary=xyz";
const DISPOSITION = 'Content-Disposition: form-data; name="files"';

function bodyOf(...parts: readonly string[]): Buffer {
  return Buffer.from(parts.map((part) => `--xyz\r\n${part}\r\n`).join("") + "--xyz--\r\n");
}

function fileOf(filename: string, content = "", headers = ""): string {
  return `${DISPOSITION}; filename="${filename}"${headers}\r\n\r\n${content}`;
}

async function errorOf(body: Buffer, type = TYPE): Promise<unknown> {
  const refused = await Promise.resolve()
    .then(() => readMultipart(body, type))
    .catch((error: unknown) => error);
  if (!isSnapError(refused)) throw refused;
  const { code, errors } = refused;
  return { code, errors };
}

describe("a form", () => {
  it("can have a preamble, a quoted boundary and delimiters within lines", async () => {
    const body = Buffer.concat([Buffer.from("preamble\r\n"), bodyOf(fileOf("a.css", "b --xyz c"))]);
    const files = await readMultipart(body, 'multipart/form-data; charset=utf-8; boundary="xyz"');
    expect(files.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(["b --xyz c"]);
  });

  it("is read with U+FFFD, which no path can contain, in place of invalid UTF-8 in file names", async () => {
    const raw = Buffer.from(bodyOf(fileOf("a?.css")).toString("latin1").replace("?", "\xff"), "latin1");
    const encoded = bodyOf(`${DISPOSITION}; filename*=UTF-8''a%ff.css\r\n\r\n`);
    for (const body of [raw, encoded])
      expect((await readMultipart(body, TYPE)).map(({ path }) => path)).toEqual(["a\u{FFFD}.css"]);
  });

  it("contains files whose paths are their file names", async () => {
    const files = await readMultipart(
      bodyOf(
        fileOf("index.html", "<p>é</p>"),
        fileOf("../a/é.css", "", "\r\nContent-Type: text/css"),
        fileOf("C:\\a", "x"),
      ),
      TYPE,
    );
    expect(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()])).toEqual([
      ["index.html", "<p>é</p>"],
      ["../a/é.css", ""],
      ["C:\\a", "x"],
    ]);
  });

  it("is read byte for byte as fetch sends it", async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * index) % 256);
    const form = new FormData();
    form.append("files", new Blob([bytes]), "a/large.bin");
    form.append("other", new Blob(["--x\r\n"]), "index.html");
    const request = new Request("http://localhost/", { method: "POST", body: form });
    const files = await readMultipart(
      Buffer.from(await request.arrayBuffer()),
      request.headers.get("content-type") ?? "",
    );
    expect(files.map(({ path }) => path)).toEqual(["a/large.bin", "index.html"]);
    expect(Buffer.from(files[0]?.bytes ?? []).equals(bytes)).toBe(true);
  });
});

describe("a form is rejected", () => {
  const MALFORMED = { body: ["must be well-formed multipart/form-data"] };

  it.each<[string, Buffer]>([
    ["empty", Buffer.alloc(0)],
    ["not multipart", Buffer.from("<p>Hello</p>")],
    ["truncated in a header", bodyOf(fileOf("index.html")).subarray(0, 30)],
    ["truncated in a file", bodyOf(fileOf("index.html", "x".repeat(100))).subarray(0, 120)],
    ["truncated after a file", bodyOf(fileOf("index.html", "x")).subarray(0, -4)],
  ])("if it is %s", async (_, body) => {
    expect(await errorOf(body)).toEqual({ code: "validation_failed", errors: MALFORMED });
  });

  it("if it has no boundary", async () => {
    for (const type of ["multipart/form-data", "multipart/form-data; boundary="])
      expect(await errorOf(bodyOf(fileOf("index.html")), type)).toMatchObject({
        code: "validation_failed",
      });
  });

  it("if it has a field that is not a file", async () => {
    expect(await errorOf(bodyOf(`${DISPOSITION}\r\n\r\nvalue`, fileOf("index.html")))).toEqual({
      code: "validation_failed",
      errors: { files: ["must be sent as a file with a file name"] },
    });
  });

  it.each<[string, string]>([
    ["without a disposition", "Content-Type: image/svg+xml\r\n\r\n<svg/>"],
    ["with another disposition", 'Content-Disposition: attachment; filename="logo.svg"\r\n\r\n<svg/>'],
    ["with a header that is too long", `X-Pad: ${"x".repeat(5000)}\r\n${fileOf("logo.svg", "<svg/>")}`],
    ["with too many headers", "X: y\r\n".repeat(21) + fileOf("logo.svg", "<svg/>")],
  ])("if it has a part %s", async (_, part) => {
    for (const body of [bodyOf(fileOf("index.html"), part), bodyOf(part, fileOf("index.html"))])
      expect(await errorOf(body)).toEqual({
        code: "validation_failed",
        errors: { body: ["must contain only parts with a file and its file name"] },
      });
  });

  it("if it has an encoded file", async () => {
    const encoded = fileOf("a.png", "AAAA", "\r\nContent-Transfer-Encoding: base64");
    expect(await errorOf(bodyOf(encoded))).toEqual({
      code: "validation_failed",
      errors: { "a.png": ["must be sent without a Content-Transfer-Encoding"] },
    });
  });

  it("if it has more than 500 files", async () => {
    const parts = Array.from({ length: 501 }, (_, index) => fileOf(`${index}`));
    expect(await readMultipart(bodyOf(...parts.slice(1)), TYPE)).toHaveLength(500);
    expect(await errorOf(bodyOf(...parts))).toEqual({
      code: "payload_too_large",
      errors: { body: ["must contain at most 500 files"] },
    });
  });

  it("as soon as the limit is exceeded, if it has half a million parts", async () => {
    const body = Buffer.from("--xyz\r\nX: y\r\n\r\n\r\n".repeat(500_000));
    let turns = 0;
    const count = (): void => {
      turns += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    expect(await errorOf(body)).toMatchObject({ code: "payload_too_large" });
    clearImmediate(immediate);
    expect(turns).toBeLessThan(10);
  });

  it.each(["\r\n--xyz", "\r\n--xyz--"])(
    "as soon as a delimiter %j follows the end, even if a million of them do",
    async (delimiter) => {
      const body = Buffer.concat([bodyOf(fileOf("index.html")), Buffer.from(delimiter.repeat(1_000_000))]);
      const indexOf = vi.spyOn(body, "indexOf");
      expect(await errorOf(body)).toEqual({
        code: "validation_failed",
        errors: { body: ["must contain only parts with a file and its file name"] },
      });
      expect(indexOf.mock.calls.length).toBeLessThan(10);
    },
  );
});
