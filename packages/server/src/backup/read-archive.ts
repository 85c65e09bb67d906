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

/** Enough for the checksums of two million renderings. */
const TEXT_MAX_BYTES = 256 * 1024 * 1024;
/** Path of a file, named after the id of its row. */
const BODY = /^snap\.db-(?<kind>documents|renderings)\/(?<id>\d{1,16})$/;

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
 * @throws OperatorError `backup_invalid` or `schema_newer`; or the error of the system that cannot read or write.
 */
export async function readArchive({ input, ...request }: ReadRequest): Promise<Manifest> {
  const decoder = createTarDecoder({ strict: true });
  // an input error also ends the entries
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

/** The disk failed, not the archive. */
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
    const { name, size } = header;
    if (header.type !== "file" || digests.has(name) || isVerified) throw invalidBackup(`unexpected ${name}`);
    const hash = createHash("sha256");
    const chunks = hashing(body, hash, (bytes) => {
      progress.bytes += bytes;
      onProgress(progress);
    });
    const { kind, id } = BODY.exec(name)?.groups ?? {};
    if (name === NAMES.manifest) manifest = readManifest(await readText(chunks, size), schemaVersion);
    else if (manifest === null) throw invalidBackup("it does not begin with manifest.json");
    else if (name === NAMES.database) await writeFile(filename, chunks);
    else if (name === NAMES.checksums) {
      verify(await readText(chunks, size), digests);
      isVerified = true;
    } else if ((kind === "documents" || kind === "renderings") && id !== undefined) {
      // as the storage does: a document must survive a power failure, a rendering can be rendered again
      await writeFile(join(folders[kind], id), chunks, { flush: kind === "documents" });
      progress[kind] += 1;
    } else throw invalidBackup(`unexpected ${name}`);
    digests.set(name, hash.digest("hex"));
  }
  if (manifest === null) throw invalidBackup("it is empty");
  if (!isVerified) throw invalidBackup("it is truncated");
  if (!digests.has(NAMES.database)) throw invalidBackup("it contains no database");
  return manifest;
}

async function* hashing(
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

async function readText(chunks: AsyncIterable<Uint8Array>, size: number): Promise<string> {
  if (size > TEXT_MAX_BYTES) throw invalidBackup("one of its lists is too long");
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
  for (const line of list.split("\n").filter((one) => one !== "")) {
    const [digest, name = ""] = line.split("  ");
    if (digests.get(name) !== digest)
      throw invalidBackup(`${name} is missing or does not match its checksum`);
    names.add(name);
  }
  if (names.size !== digests.size) throw invalidBackup("it contains files without a checksum");
}
