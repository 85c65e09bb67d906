import { messageOf } from "@snap/engine/internals";
import type { SqliteRestore } from "@snap/storage-sqlite";
import { createTarDecoder } from "modern-tar";
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { OperatorError } from "../operator-error.ts";
import { invalidBackup, NAMES, readManifest, type Manifest } from "./manifest.ts";

/** Limit for the manifest and the checksums; enough for the checksums of two million renderings. */
const TEXT_MAX_BYTES = 256 * 1024 * 1024;
/** Path of the file of a document or rendering, which is named after the id of its row in the database. */
const STORED_FILE_PATH = /^snap\.db-(?<kind>documents|renderings)\/(?<id>\d{1,16})$/;

export interface ReadRequest {
  readonly input: Readable;
  /** Highest schema version that this release supports. */
  readonly schemaVersion: number;
  /** Where to put the database. */
  readonly filename: string;
  /** Where to put the files of documents and renderings. */
  readonly folders: SqliteRestore["folders"];
  readonly onProgress: (progress: { readonly bytes: number; readonly renderings: number }) => void;
}

/**
 * Unpacks a backup, and verifies that it is complete and that every checksum matches.
 *
 * @throws OperatorError `backup_invalid` or `schema_newer`; a system error if a file cannot be read or written.
 */
export async function readArchive({ input, ...request }: ReadRequest): Promise<Manifest> {
  const decoder = createTarDecoder({ strict: true });
  // an input error also fails the loop over the entries, which reports it
  const feeding = pipeline(input, async (chunks: AsyncIterable<Uint8Array>) => {
    await Readable.toWeb(Readable.from(chunks)).pipeTo(decoder.writable as WritableStream);
  }).catch(() => {});
  try {
    return await unpack(decoder.readable, request);
  } catch (error) {
    if (error instanceof OperatorError || isSystemError(error) || input.errored !== null)
      throw input.errored ?? error;
    throw invalidBackup(messageOf(error).replace(/\.$/, ""), error);
  } finally {
    input.destroy();
    await feeding;
  }
}

/** Returns whether a file could not be read or written, so the archive itself may be valid. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

interface Entry {
  readonly header: { readonly name: string; readonly size: number; readonly type?: string };
  readonly body: ReadableStream<Uint8Array>;
}

async function unpack(
  entries: AsyncIterable<Entry>,
  { schemaVersion, filename, folders, onProgress }: Omit<ReadRequest, "input">,
): Promise<Manifest> {
  const digests = new Map<string, string>();
  let manifest: Manifest | null = null;
  let isVerified = false;
  const progress = { bytes: 0, documents: 0, renderings: 0 };
  for await (const { header, body } of entries) {
    const { name } = header;
    if (header.type !== "file") throw invalidBackup(`${name} is not a regular file`);
    if (digests.has(name)) throw invalidBackup(`it contains ${name} more than once`);
    if (isVerified) throw invalidBackup(`it contains ${name} after ${NAMES.checksums}`);
    const hash = createHash("sha256");
    const chunks = hashChunks(body, hash, (bytes) => {
      progress.bytes += bytes;
      onProgress(progress);
    });
    const { kind, id } = STORED_FILE_PATH.exec(name)?.groups ?? {};
    if (name === NAMES.manifest) manifest = readManifest(await readText(chunks, header), schemaVersion);
    else if (manifest === null) throw invalidBackup("it does not begin with manifest.json");
    else if (name === NAMES.database) await writeFile(filename, chunks);
    else if (name === NAMES.checksums) {
      verify(await readText(chunks, header), digests);
      isVerified = true;
    } else if ((kind === "documents" || kind === "renderings") && id !== undefined) {
      // flushed as in the storage: a document must survive a power failure, but a rendering can be rendered again
      await writeFile(join(folders[kind], id), chunks, { flush: kind === "documents" });
      progress[kind] += 1;
    } else throw invalidBackup(`it contains ${name}, which is not part of a backup`);
    digests.set(name, hash.digest("hex"));
  }
  if (manifest === null) throw invalidBackup("it is empty");
  if (!isVerified) throw invalidBackup("it is truncated");
  if (!digests.has(NAMES.database)) throw invalidBackup("it contains no database");
  return manifest;
}

async function* hashChunks(
  body: ReadableStream<Uint8Array>,
  hash: { update(chunk: Uint8Array): unknown },
  onChunk: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    onChunk(chunk.byteLength);
    yield chunk;
  }
}

async function readText(chunks: AsyncIterable<Uint8Array>, { name, size }: Entry["header"]): Promise<string> {
  if (size > TEXT_MAX_BYTES) throw invalidBackup(`its ${name} is larger than 256 MiB`);
  return text(chunks);
}

async function writeFile(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  { flush = false } = {},
): Promise<void> {
  await pipeline(chunks, createWriteStream(path, { flags: "wx", mode: 0o600, flush }));
}

/** @throws OperatorError unless the checksums are exactly those of the files. */
function verify(list: string, digests: ReadonlyMap<string, string>): void {
  const names = new Set<string>();
  for (const line of list.split("\n").filter((entry) => entry !== "")) {
    const [digest, name] = line.split("  ");
    if (name === undefined) throw invalidBackup(`its ${NAMES.checksums} has a malformed line`);
    if (digests.get(name) !== digest)
      throw invalidBackup(`${name} is missing or does not match its checksum`);
    names.add(name);
  }
  if (names.size !== digests.size) throw invalidBackup("it contains files without a checksum");
}
