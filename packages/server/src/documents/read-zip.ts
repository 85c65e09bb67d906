import { isSnapError, type SnapError } from "@snap/engine";
import { invalidFile, tooManyFiles, UnpackedSize, type SentFile } from "@snap/engine/internals";
import { DOCUMENT_LIMITS, findPathProblem } from "@snap/protocol";
import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { fromBufferPromise, getFileNameLowLevel, type Entry, type ZipFile } from "yauzl";
import { invalidBody } from "../requests/request-body.ts";

/** Includes folders, and the entries that macOS adds for each file. */
export const ZIP_ENTRIES_MAX = 4 * DOCUMENT_LIMITS.files;

/** Entries that macOS adds. */
const IGNORED_PATH = /^__MACOSX\/|(^|\/)\.DS_Store$/;

/**
 * Mask of the file type in `st_mode`, which is in the upper 16 bits of an entry's attributes. The type is 0 if it was
 * not recorded.
 */
const TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
const FOLDER = 0o040000;

/**
 * Reads the files of a ZIP file. Counts the inflated bytes, because the sizes that a ZIP file declares can be wrong.
 *
 * @throws SnapError `validation_failed` for a malformed ZIP file, a link or device, a folder with an invalid path, or
 * an encrypted, corrupt or unsupported file; `payload_too_large` for too many files or bytes in total. `errors` names
 * the file, or `body`.
 */
export async function readZip(body: Buffer): Promise<readonly SentFile[]> {
  try {
    return stripTopFolder(await readEntries(body));
  } catch (error) {
    if (isSnapError(error)) throw error;
    throw invalidBody("must be a well-formed ZIP file");
  }
}

async function readEntries(body: Buffer): Promise<readonly SentFile[]> {
  // `pathOf` decodes the names, and the engine checks those of files, as for other uploads
  const zip = await fromBufferPromise(body, { decodeStrings: false });
  if (zip.entryCount > ZIP_ENTRIES_MAX)
    throw tooManyFiles(
      `${DOCUMENT_LIMITS.files} files, and a ZIP file at most ${ZIP_ENTRIES_MAX} files and folders`,
    );
  const files: SentFile[] = [];
  const size = new UnpackedSize();
  for await (const entry of zip.eachEntry()) {
    const path = pathOf(entry);
    requireRegularFileOrFolder(entry, path);
    if (path.endsWith("/") || IGNORED_PATH.test(path)) {
      const problem = findPathProblem(path.replace(/\/$/, ""));
      if (problem !== null) throw invalidFile(path, problem);
      continue;
    }
    if (files.length === DOCUMENT_LIMITS.files) throw tooManyFiles();
    requireReadable(entry, path);
    files.push({ path, bytes: await inflate(zip, entry, { path, size }) });
  }
  return files;
}

/** The bit of an entry's flags that declares its name to be UTF-8 (APPNOTE.TXT, 4.4.4). */
const UTF8_NAME = 0x800;

/** Decodes a name as UTF-8 if it is valid UTF-8, as macOS does not set the flag; otherwise as declared. */
function pathOf({ generalPurposeBitFlag: flags, fileNameRaw, extraFields }: Entry): string {
  const actualFlags = isUtf8(fileNameRaw) ? flags | UTF8_NAME : flags;
  return getFileNameLowLevel(actualFlags, fileNameRaw, extraFields, true);
}

/** Throws if the recorded type contradicts the path: a folder if it ends in `/`, otherwise a regular file. */
function requireRegularFileOrFolder({ externalFileAttributes }: Entry, path: string): void {
  const type = (externalFileAttributes >>> 16) & TYPE_MASK;
  if (type !== 0 && type !== (path.endsWith("/") ? FOLDER : REGULAR_FILE))
    throw invalidFile(path, "must be a regular file, not a link or a device");
}

function requireReadable(entry: Entry, path: string): void {
  if (entry.isEncrypted()) throw invalidFile(path, "must not be encrypted");
  if (!entry.canDecodeFileData()) throw invalidFile(path, "must be uncompressed or compressed with Deflate");
}

async function inflate(
  zip: ZipFile,
  entry: Entry,
  { path, size }: { readonly path: string; readonly size: UnpackedSize },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let checksum = 0;
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      const bytes = chunk as Buffer;
      size.add(path, bytes.byteLength);
      checksum = crc32(bytes, checksum);
      chunks.push(bytes);
    }
  } catch (error) {
    throw isSnapError(error) ? error : corrupt(path);
  }
  if (checksum !== entry.crc32) throw corrupt(path);
  return Buffer.concat(chunks);
}

/** A leading folder name that is valid in a path: not `.`, `..` or a drive letter. */
const TOP_FOLDER = /^(?!\.{1,2}\/)(?![a-z]:)[^/\\\p{Cc}]+\//iu;

/** Strips the single top-level folder, because most programs create one when they zip a folder. */
function stripTopFolder(files: readonly SentFile[]): readonly SentFile[] {
  const [folder] = TOP_FOLDER.exec(files[0]?.path ?? "") ?? [];
  if (folder === undefined || !files.every(({ path }) => path.startsWith(folder))) return files;
  return files.map(({ path, bytes }) => ({ path: path.slice(folder.length), bytes }));
}

function corrupt(path: string): SnapError {
  return invalidFile(path, "is corrupt: its data does not match its size or checksum");
}
