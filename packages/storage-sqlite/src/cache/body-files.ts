import { closeSync, openSync, readSync, writeFileSync } from "node:fs";
import { mkdir, open, opendir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemCodeOf } from "../faults.ts";

/** Larger bodies go through Node's thread pool, which is slower than a direct call but does not block the event loop. */
const MAX_BLOCKING_BYTES = 256 * 1024;
/** Ids grow with time, so rows are appended; the first is above the row ids of older releases. */
const FIRST_ID = 2 ** 50;
const IDS_PER_MS = 1024;
/** Another process may be about to insert the row of a younger file. */
const SWEEP_AGE_MS = 60_000;

/** The bytes of renderings: one file each, named after the id of its row. */
export interface BodyFiles {
  /** Writes a new file and returns its id. */
  write(bytes: Uint8Array, storedAt: number): Promise<number>;
  /** Returns `null` if there is no complete file of this size. */
  read(id: number, size: number): Promise<Uint8Array | null>;
  /** Never rejects: a file that remains is swept later. */
  remove(ids: readonly number[]): Promise<void>;
  /** Deletes the files that a killed process left behind without a row. */
  sweep(request: { readonly now: number; readonly hasRow: (id: number) => boolean }): Promise<void>;
}

/**
 * The first write creates the directory. Nothing is renamed or synced to the disk: a row is inserted after its file is
 * complete, and a file that a power failure damages does not match its entity tag, so it is a cache miss.
 */
export function createBodyFiles(directory: string): BodyFiles {
  let lastId = 0;
  const pathOf = (id: number): string => join(directory, String(id));
  const remove = (id: number): Promise<void> => rm(pathOf(id), { force: true }).catch(() => {});
  return {
    async write(bytes, storedAt) {
      for (;;) {
        lastId = Math.max(lastId + 1, FIRST_ID + Math.floor(storedAt) * IDS_PER_MS);
        const id = lastId;
        try {
          await createFile(pathOf(id), bytes);
          return id;
        } catch (error) {
          const code = systemCodeOf(error);
          // another process has just taken the id
          if (code === "EEXIST") continue;
          await remove(id);
          if (code !== "ENOENT") throw error;
          await mkdir(directory, { recursive: true, mode: 0o700 });
        }
      }
    },
    async read(id, size) {
      try {
        const bytes = new Uint8Array(size);
        return (await fillFrom(pathOf(id), bytes)) === size ? bytes : null;
      } catch (error) {
        if (systemCodeOf(error) === "ENOENT") return null;
        throw error;
      }
    },
    async remove(ids) {
      await Promise.all(ids.map(remove));
    },
    async sweep({ now, hasRow }) {
      for await (const name of namesIn(directory)) {
        const id = Number(name);
        if (!Number.isSafeInteger(id) || hasRow(id)) continue;
        const file = await stat(pathOf(id)).catch(() => null);
        if (file !== null && file.mtimeMs <= now - SWEEP_AGE_MS) await remove(id);
      }
    },
  };
}

async function createFile(path: string, bytes: Uint8Array): Promise<void> {
  const options = { flag: "wx", mode: 0o600 };
  if (bytes.byteLength > MAX_BLOCKING_BYTES) await writeFile(path, bytes, options);
  else writeFileSync(path, bytes, options);
}

async function fillFrom(path: string, bytes: Uint8Array): Promise<number> {
  if (bytes.byteLength <= MAX_BLOCKING_BYTES) {
    const file = openSync(path, "r");
    try {
      return readSync(file, bytes, 0, bytes.byteLength, 0);
    } finally {
      closeSync(file);
    }
  }
  const file = await open(path);
  try {
    return (await file.read(bytes, 0, bytes.byteLength, 0)).bytesRead;
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
