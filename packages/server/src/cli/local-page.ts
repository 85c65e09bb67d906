import { isSnapError } from "@snap/engine";
import { contentTypeOf, identifyContent, messageOf } from "@snap/engine/internals";
import type { DocumentFile, ServedDocument } from "@snap/engine/ports";
import { DOCUMENT_LIMITS, documentUrl } from "@snap/protocol";
import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join, relative, sep } from "node:path";
import { systemPath } from "../system-path.ts";
import { UsageError } from "./errors.ts";

/** A page on this machine, served with the files in its folder. */
export interface LocalPage {
  readonly url: string;
  readonly document: ServedDocument;
}

const INDEX = "index.html";
const INDEXES = [INDEX, "index.htm", "index.md", "index.markdown"];
const HTML_EXTENSIONS: ReadonlySet<string> = new Set([".html", ".htm"]);
const MARKDOWN_EXTENSIONS: ReadonlySet<string> = new Set([".md", ".markdown"]);
/** Unlike an uploaded document, a folder has no digest. */
const DOCUMENT_URL = documentUrl("0".repeat(64));

/**
 * Opens the page at a path: an HTML or Markdown file, or a folder with an index. Files in its folder are read when the
 * page requests them. Returns `null` for a URL, and for any other text that neither exists nor looks like a path.
 *
 * @throws UsageError if there is no page at the path.
 */
export async function openLocalPage(text: string): Promise<LocalPage | null> {
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(text)) return null;
  const stats = await stat(text).catch(explainMissing(text));
  if (stats === null) return null;
  const file = stats.isDirectory() ? await findIndex(text) : await systemPath(text);
  const type = extname(file).toLowerCase();
  if (!stats.isDirectory() && !HTML_EXTENSIONS.has(type) && !MARKDOWN_EXTENSIONS.has(type))
    throw new UsageError(
      `${text} is not a page`,
      "pass an .html, .htm or .md file, or a folder with an index",
    );
  const folder = dirname(file);
  if (stats.isDirectory() && (await resolveInside(folder, basename(file))) === null)
    throw new UsageError(
      `${file} is a link to a missing or hidden file, or to one outside the folder`,
      "pass the page's file",
    );
  const page = await readPage(file);
  const isMarkdown = MARKDOWN_EXTENSIONS.has(type);
  const bytes = isMarkdown ? await convert(page, text) : page;
  const isIndex = isMarkdown || stats.isDirectory();
  const name = isIndex ? INDEX : basename(file).normalize("NFC");
  return {
    url: isIndex ? DOCUMENT_URL : DOCUMENT_URL + encodeURIComponent(name),
    document: {
      url: DOCUMENT_URL,
      readFile: async (path) => (path === name ? asFile(name, bytes) : readFileIn(folder, path)),
    },
  };
}

/** Text that looks like a path is not taken for a URL without a scheme. */
function explainMissing(text: string): (error: NodeJS.ErrnoException) => null {
  return ({ code, message }) => {
    const type = extname(text).toLowerCase();
    const isPath = /^[./~]|[/\\]$/.test(text) || HTML_EXTENSIONS.has(type) || MARKDOWN_EXTENSIONS.has(type);
    if (code === "ENOENT" && !isPath) return null;
    const advice = "pass the path of a page, or a URL that starts with http:// or https://";
    throw new UsageError(code === "ENOENT" ? `${text} does not exist` : message, advice);
  };
}

async function findIndex(folder: string): Promise<string> {
  const names = await readdir(folder);
  const index = INDEXES.find((name) => names.includes(name));
  if (index !== undefined) return join(await realpath(folder), index);
  throw new UsageError(`the folder ${folder} has no index.html or index.md`, "pass the page's file");
}

async function readPage(file: string): Promise<Uint8Array> {
  const bytes = await readRegularFile(file).catch((error: unknown) => {
    throw new UsageError(`cannot read ${file}: ${messageOf(error)}`);
  });
  if (bytes === null) throw new UsageError(`${file} is not a file of at most 50 MiB`);
  if (!isUtf8(bytes)) throw new UsageError(`${file} must be encoded as UTF-8`);
  return bytes;
}

/** Converts Markdown as the service does. */
async function convert(markdown: Uint8Array, name: string): Promise<Uint8Array> {
  try {
    const { buildFiles } = await identifyContent({ markdown });
    const [page] = await buildFiles("");
    return page?.bytes ?? new Uint8Array();
  } catch (error) {
    if (isSnapError(error)) throw new UsageError(error.message.replace(/^markdown\b/, () => name));
    throw error;
  }
}

async function readFileIn(folder: string, path: string): Promise<DocumentFile | null> {
  // the page's paths are in NFC, but an archive made by macOS unpacks to names in NFD
  const file = (await resolveInside(folder, path)) ?? (await resolveInside(folder, path.normalize("NFD")));
  if (file === null) return null;
  const bytes = await readRegularFile(file).catch(() => null);
  return bytes && asFile(path, bytes);
}

/** Returns `null` for a hidden or missing file, and for one outside the folder: a page must not read other files. */
async function resolveInside(folder: string, path: string): Promise<string | null> {
  if (path.includes("\0")) return null;
  const file = await realpath(join(folder, path)).catch(() => null);
  if (file === null) return null;
  const relativePath = relative(folder, file);
  const isOutside = relativePath === "" || isAbsolute(relativePath);
  // a name that starts with a dot is hidden; this includes .., which is outside the folder
  const isHidden = [...path.split("/"), ...relativePath.split(sep)].some((segment) =>
    segment.startsWith("."),
  );
  return isOutside || isHidden ? null : file;
}

/** Returns `null` for anything but a regular file, such as a pipe, which could block, and for one that is too large. */
async function readRegularFile(file: string): Promise<Uint8Array | null> {
  const opened = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await opened.stat();
    return stats.isFile() && stats.size <= DOCUMENT_LIMITS.unpackedBytes ? await opened.readFile() : null;
  } finally {
    await opened.close();
  }
}

function asFile(path: string, bytes: Uint8Array): DocumentFile {
  return { path, contentType: contentTypeOf(path), bytes };
}
