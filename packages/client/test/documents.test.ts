import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createClient, type DocumentInput } from "../src/index.ts";
import { failureOf } from "./failure-of.ts";
import { envelope, html as page, openRawServer, recordWaits, TOKEN } from "./raw-server.ts";
import { openService } from "./service.ts";

const html = "<p>Hello</p>";
const HELLO = {
  id: "8467432f342eb7eb7d12be99527b892c945950211b9c71646c1bd51cd0e1bdeb",
  url: "https://documents.snap.invalid/8467432f342eb7eb7d12be99527b892c945950211b9c71646c1bd51cd0e1bdeb/",
  content_type: "text/html",
  bytes: 12,
  files: 1,
  expires_at: "2026-03-02T12:00:00.000Z",
};
/** A ZIP file of the same page. */
const ZIP = Buffer.from(
  "UEsDBBQAAAAIAAAAIQDneV9QDgAAAAwAAAAKAAAAaW5kZXguaHRtbLMpsPNIzcnJt9EvsAMAUEsBAhQDFAAAAAgAAAAhAOd5X1AO" +
    "AAAADAAAAAoAAAAAAAAAAAAAAIABAAAAAGluZGV4Lmh0bWxQSwUGAAAAAAEAAQA4AAAANgAAAAAA",
  "base64",
);

/**
 * Returns the documented id of files that are passed in order of their paths: the digest of all
 * paths and bytes, each preceded by its length.
 */
function idOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const hash = createHash("sha256").update("snap-document-v1\n");
  for (const part of Object.entries(files).flat()) {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(bytes.byteLength));
    hash.update(length).update(bytes);
  }
  return hash.digest("hex");
}

describe("documents", () => {
  it("can be uploaded, found and deleted", async () => {
    const snap = await (await openService()).client();
    expect(await snap.documents.create({ html })).toEqual(HELLO);
    expect((await snap.documents.create({ html }, { ttlSeconds: 172_800 })).expires_at).toBe(
      "2026-03-03T12:00:00.000Z",
    );
    expect((await snap.documents.get(HELLO.id)).id).toBe(HELLO.id);
    expect(await snap.documents.delete(HELLO.id)).toBeUndefined();
    for (const gone of [
      () => snap.documents.get(HELLO.id),
      () => snap.documents.delete(HELLO.id),
      () => snap.documents.get("../usage"),
    ])
      expect(await failureOf(gone())).toMatchObject({ code: "not_found", status: 404 });
  });

  it("can be pages, ZIP files, or files of any type, with unchanged paths and bytes", async () => {
    const snap = await (await openService()).client();
    const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 256);
    const files = { "a/é & b.css": "p { color: blue }", "index.html": html, "logo.png": bytes };
    const stored = await snap.documents.create({
      files: { ...files, "logo.png": new Blob([bytes]), "index.html": Buffer.from(html) },
    });
    expect(stored).toMatchObject({ id: idOf(files), content_type: "multipart/form-data", files: 3 });
    expect((await snap.documents.create({ files: { ...files, "logo.png": bytes.subarray(0) } })).id).toBe(
      stored.id,
    );
    const markdown = await snap.documents.create({ markdown: "# Grüße" });
    expect(markdown).toMatchObject({ id: idOf({ "index.md": "# Grüße" }), content_type: "text/markdown" });
    expect((await snap.documents.create({ zip: ZIP })).id).toBe(HELLO.id);
  });

  it("are rejected with the service's error, which names the invalid file or parameter", async () => {
    const snap = await (await openService()).client();
    const files = { "index.html": html, "../up.css": "" };
    expect(await failureOf(snap.documents.create({ files }))).toMatchObject({
      code: "validation_failed",
      status: 422,
      errors: { "../up.css": ["must have a path without empty, . or .. segments"] },
    });
    expect(await failureOf(snap.documents.create({ html }, { ttlSeconds: 1 }))).toMatchObject({
      errors: { documentTtl: ["must be an integer from 60 to 2592000"] },
    });
    expect(await failureOf(snap.documents.create({ zip: Buffer.from("text") }))).toMatchObject({
      errors: { body: ["must be a well-formed ZIP file"] },
    });
  });

  it.each(['a"b', "a\rb", "a\nb", "a\\"])(
    "are rejected by the client if a form cannot contain the path %j",
    async (path) => {
      const snap = await (await openService()).client();
      expect(
        await failureOf(snap.documents.create({ files: { "index.html": html, [path]: "" } })),
      ).toMatchObject({
        code: "validation_failed",
        requestId: null,
        errors: {
          [path]: [
            "must have a path without backslashes or line breaks; double quotes work only in a ZIP file",
          ],
        },
      });
    },
  );

  it("are sent again, with their content, after a retryable failure", async () => {
    const bodies: string[] = [];
    const { origin } = await openRawServer(envelope(503, "not_ready"), (response, request) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        bodies.push(body, String(request.headers["content-type"]));
        response.writeHead(201, { "Content-Type": "application/json" }).end(JSON.stringify(HELLO));
      });
    });
    const snap = createClient({ baseUrl: origin, token: TOKEN, pacing: recordWaits() });
    expect(await snap.documents.create({ files: { "index.html": html } })).toEqual(HELLO);
    const [body, type] = bodies;
    expect(body).toContain(`filename="index.html"`);
    expect(body).toContain(html);
    expect(type).toMatch(/^multipart\/form-data; boundary=/);
  });

  it("fail with unexpected_answer if a response is not from the service", async () => {
    const { origin } = await openRawServer(page(200));
    const snap = createClient({ baseUrl: origin, token: TOKEN });
    for (const call of [
      () => snap.documents.create({ html }),
      () => snap.documents.get("a"),
      () => snap.documents.delete("a"),
    ])
      expect(await failureOf(call())).toMatchObject({ code: "unexpected_answer", status: 200 });
  });

  it.each([
    ["", "not_found"],
    [".", "not_found"],
    ["..", "not_found"],
    ["\ud800", "not_found"],
    [undefined, "misconfigured"],
    [7, "misconfigured"],
  ])("are not requested if the id is invalid: %j", async (id, code) => {
    const { origin, requests } = await openRawServer(page(200));
    const { documents } = createClient({ baseUrl: origin, token: TOKEN });
    for (const call of [documents.get(id as string), documents.delete(id as string)])
      expect(await failureOf(call)).toMatchObject({ name: "SnapError", code });
    expect(requests).toHaveLength(0);
  });

  it.each([
    {},
    { html, markdown: "" },
    { page: html },
    null,
    { html: undefined },
    { html: null },
    { files: null },
  ])("need exactly one kind of content, not %j", async (document) => {
    const snap = await (await openService()).client();
    await expect(snap.documents.create(document as DocumentInput)).rejects.toThrow(
      "documents.create() needs exactly one of html, markdown, zip and files.",
    );
  });
});
