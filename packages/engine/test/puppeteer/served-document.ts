import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServedDocument } from "../../src/ports/renderer.ts";

const FOLDER = new URL("../fixtures/document/", import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
};

/** A document that records which files are read. */
export interface TestDocument extends ServedDocument {
  readonly readPaths: string[];
}

const ID = "0123456789abcdef".repeat(4);

/** A document with these files. */
export function documentOf(files: Readonly<Record<string, string | Uint8Array>>, id = ID): TestDocument {
  const readPaths: string[] = [];
  return {
    url: `https://documents.snap.invalid/${id}/`,
    readPaths,
    async readFile(path) {
      readPaths.push(path);
      const content = Object.hasOwn(files, path) ? files[path] : undefined;
      return content === undefined ? null : { path, contentType: typeOf(path), bytes: Buffer.from(content) };
    },
  };
}

/** The document in fixtures/document: HTML, CSS, a font, images, a frame and modules. */
export function folderDocument(): TestDocument {
  const document = documentOf({});
  return {
    ...document,
    async readFile(path) {
      document.readPaths.push(path);
      const bytes = await readFile(new URL(path, FOLDER)).catch(() => null);
      return bytes === null ? null : { path, contentType: typeOf(path), bytes };
    },
  };
}

/** Serves the same files over HTTP. */
export function serveFolder({ url = "/" }: IncomingMessage, response: ServerResponse): void {
  const path = url === "/" ? "index.html" : url.slice(1);
  response.setHeader("content-type", typeOf(path));
  response.end(readFileSync(new URL(path, FOLDER)));
}

function typeOf(path: string): string {
  return TYPES[extname(path)] ?? "application/octet-stream";
}
