import { closeSync, openSync, readSync, writeFileSync } from "node:fs";
import { mkdir, open, opendir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sync } from "./private-files.ts";
import { systemCodeOf } from "./faults.ts";

/** Larger bodies go through Node's thread pool, which is slower than a direct call but does not block the event loop. */
const MAX_BLOCKING_BYTES = 256 * 1024;
/** Ids grow with time, so rows are appended; the first id is above the row ids from older releases. */
const FIRST_ID = 2 ** 50;
const IDS_PER_MS = 1024;
/** Younger files are not swept: a process may be about to insert their rows. */
const SWEEP_AGE_MS = 60_000;
const SWEEP_INTERVAL_MS = 3_600_000;

/** The bytes of a rendering, or of all files of a document: one file each, named after the id of its row. */
export interface BodyFiles {
  /** Writes the parts to a new file, in order, and returns its id. */
  write(parts: readonly Uint8Array[], storedAt: number): Promise<number>;
  /** Returns `null` if the file does not exist or ends before the range does. */
  read(id: number, range: FileRange): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Returns whether the file exists and has this size. */
  has(id: number, size: number): Promise<boolean>;
  /** Never rejects: a remaining file is swept later. */
  remove(ids: readonly number[]): Promise<void>;
  /** Deletes the files that a killed process left behind without a row. */
  sweep(request: SweepRequest): Promise<void>;
  /** Sweeps, unless the last call that swept was less than an hour ago. */
  sweepHourly(request: SweepRequest): Promise<void>;
}

interface SweepRequest {
  readonly now: number;
  readonly hasRow: (id: number) => boolean;
}

export interface FileRange {
  /** Position of the first byte. */
  readonly position: number;
  readonly size: number;
}

/** The files of cached renderings, next to the database. */
export function openRenderingFiles(filename: string): BodyFiles {
  return createBodyFiles(`${filename}-renderings`, { isSynced: false });
}

/** The files of documents, next to the database. */
export function openDocumentFiles(filename: string): BodyFiles {
  return createBodyFiles(`${filename}-documents`, { isSynced: true });
}

/**
 * The first write creates the directory. Nothing is renamed: a row is inserted after its file is complete. Without
 * `isSynced`, files are not synced to disk: a rendering that a power failure corrupted does not match its entity tag, so it
 * is a cache miss.
 */
function createBodyFiles(directory: string, { isSynced }: { readonly isSynced: boolean }): BodyFiles {
  let lastId = 0;
  let nextSweepAt = 0;
  const pathOf = (id: number): string => join(directory, String(id));
  const remove = (id: number): Promise<void> => rm(pathOf(id), { force: true }).catch(() => {});
  const sweep = async ({ now, hasRow }: SweepRequest): Promise<void> => {
    for await (const name of namesIn(directory)) {
      const id = Number(name);
      if (!Number.isSafeInteger(id) || hasRow(id)) continue;
      const file = await stat(pathOf(id)).catch(() => null);
      if (file !== null && file.mtimeMs <= now - SWEEP_AGE_MS) await remove(id);
    }
  };
  return {
    async write(parts, storedAt) {
      for (;;) {
        lastId = Math.max(lastId + 1, FIRST_ID + Math.floor(storedAt) * IDS_PER_MS);
        const id = lastId;
        try {
          await createFile(pathOf(id), { parts, isSynced });
          if (isSynced) sync(directory);
          return id;
        } catch (error) {
          const code = systemCodeOf(error);
          // another process has just taken the id
          if (code === "EEXIST") continue;
          await remove(id);
          if (code !== "ENOENT") throw error;
          await mkdir(directory, { recursive: true, mode: 0o700 });
          if (isSynced) sync(dirname(directory));
        }
      }
    },
    async read(id, { position, size }) {
      try {
        const bytes = new Uint8Array(size);
        return (await readInto(pathOf(id), { position, bytes })) === size ? bytes : null;
      } catch (error) {
        if (systemCodeOf(error) === "ENOENT") return null;
        throw error;
      }
    },
    async has(id, size) {
      try {
        return (await stat(pathOf(id))).size === size;
      } catch (error) {
        if (systemCodeOf(error) === "ENOENT") return false;
        throw error;
      }
    },
    async remove(ids) {
      await Promise.all(ids.map(remove));
    },
    sweep,
    async sweepHourly(request) {
      if (request.now < nextSweepAt) return;
      nextSweepAt = request.now + SWEEP_INTERVAL_MS;
      await sweep(request);
    },
  };
}

async function createFile(
  path: string,
  { parts, isSynced }: { readonly parts: readonly Uint8Array[]; readonly isSynced: boolean },
): Promise<void> {
  const options = { flag: "wx", mode: 0o600, flush: isSynced };
  const [bytes = new Uint8Array(0)] = parts;
  if (isSynced || parts.length > 1 || bytes.byteLength > MAX_BLOCKING_BYTES)
    await writeFile(path, parts, options);
  else writeFileSync(path, bytes, options);
}

async function readInto(
  path: string,
  { position, bytes }: { readonly position: number; readonly bytes: Uint8Array },
): Promise<number> {
  if (bytes.byteLength <= MAX_BLOCKING_BYTES) {
    const file = openSync(path, "r");
    try {
      return readSync(file, bytes, 0, bytes.byteLength, position);
    } finally {
      closeSync(file);
    }
  }
  const file = await open(path);
  try {
    return (await file.read(bytes, 0, bytes.byteLength, position)).bytesRead;
  } finally {
    await file.close();
  }
}

async function* namesIn(directory: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(directory)) yield name;
  } catch (error) {
    // nothing has been stored yet
    if (systemCodeOf(error) !== "ENOENT") throw error;
  }
}
