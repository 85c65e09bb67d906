import { messageOf } from "@snap/engine/internals";
import type { Stats } from "node:fs";
import { open, readlink, realpath, rename, stat } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { OperatorError } from "../operator-error.ts";
import { systemPath } from "../system-path.ts";
import { NAMES } from "./manifest.ts";

/** Names that are reserved in a data folder. */
const RESERVED_NAME = /^(snap\.db|secret\.key)/;

/** Paths that can only name folders. */
const FOLDER_PATH = /(^|\/)\.{0,2}$/;

/** Linux follows at most this many links in a path. */
const LINKS_MAX = 40;

/**
 * Returns the absolute path of a backup to write; for a link, that of the file that it points to. A typo must not
 * destroy a file, so only an earlier backup or an empty file is replaced.
 *
 * @throws OperatorError `backup_invalid`.
 */
export async function checkTargetFile(file: string, dataDir: string): Promise<string> {
  if (FOLDER_PATH.test(file)) throw invalidTarget(`${file === "" ? "an empty path" : file} names no file`);
  const target = await followLinks(file);
  const relativePath = relative(await realpath(dataDir).catch(() => dataDir), target);
  if (RESERVED_NAME.test(relativePath)) throw invalidTarget(`${target} is reserved for the data folder`);
  // checks `file`, not `target`: a link in /proc can point to something without a path, such as a pipe
  const existing = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw invalidTarget(error.message);
  });
  if (existing === null || (await isReplaceable(file, existing))) return target;
  throw invalidTarget(`${file} exists, and is not a backup`);
}

/** Renames a complete backup to its target, and makes the new name durable. */
export async function moveIntoPlace(draft: string, target: string): Promise<void> {
  await rename(draft, target);
  const folder = await open(dirname(target));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Also follows a link to a file that does not exist yet, which `realpath` does not. */
async function followLinks(path: string, linksLeft = LINKS_MAX): Promise<string> {
  const target = await systemPath(path).catch(() => null);
  if (target === null) throw invalidTarget(`${resolve(dirname(path))} is not a folder`);
  const link = linksLeft === 0 ? null : await readlink(target).catch(() => null);
  if (link === null) return target;
  return followLinks(isAbsolute(link) ? link : `${dirname(target)}/${link}`, linksLeft - 1);
}

/** A backup begins with the header of its manifest, which begins with the name. */
async function isReplaceable(path: string, existing: Stats): Promise<boolean> {
  if (!existing.isFile()) return false;
  if (existing.size === 0) return true;
  const file = await open(path).catch((error: unknown) => {
    throw invalidTarget(messageOf(error));
  });
  try {
    const name = Buffer.from(`${NAMES.manifest}\0`);
    const { buffer } = await file.read(Buffer.alloc(name.byteLength), 0, name.byteLength, 0);
    return buffer.equals(name);
  } finally {
    await file.close();
  }
}

/** Returns the error for a file that cannot be the target. */
export function invalidTarget(problem: string): OperatorError {
  return new OperatorError("backup_invalid", problem, "no backup was made; choose another file");
}
