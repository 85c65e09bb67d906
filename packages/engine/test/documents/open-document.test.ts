import { documentUrl } from "@snap/protocol";
import { createFakeClock, createMemoryStorage } from "@snap/testing";
import { expect, it } from "vitest";
import { openDocument } from "../../src/documents/open-document.ts";
import { SnapError } from "../../src/errors.ts";
import type { DocumentFile } from "../../src/ports/documents.ts";
import type { ServedDocument } from "../../src/ports/renderer.ts";

const ID = "0123456789abcdef".repeat(4);
const PAGE: DocumentFile = { path: "index.html", contentType: "text/html", bytes: Buffer.from("page") };

function open(
  build: (signal?: AbortSignal) => Promise<readonly DocumentFile[]>,
): Promise<ServedDocument | null> {
  const url = documentUrl(ID);
  const { documents } = createMemoryStorage();
  return openDocument(
    { documents, clock: createFakeClock(0) },
    {
      url,
      accountId: "acct_1",
      sent: { id: ID, url, contentType: "text/markdown", buildFiles: (_accountId, signal) => build(signal) },
    },
  );
}

it("a request's document is built once, when its first file is read, with that read's signal", async () => {
  const signals: unknown[] = [];
  const document = await open(async (signal) => {
    signals.push(signal);
    return [PAGE];
  });
  expect(signals).toEqual([]);
  const { signal } = new AbortController();
  expect(await document?.readFile("index.html", signal)).toBe(PAGE);
  expect(await document?.readFile("missing", signal)).toBeNull();
  expect(signals).toEqual([signal]);
});

it("a request's document that cannot be built fails every read", async () => {
  const failure = new SnapError("validation_failed", "too complex");
  const document = await open(() => Promise.reject(failure));
  for (const path of ["index.html", "logo.svg"]) await expect(document?.readFile(path)).rejects.toBe(failure);
});
