import type { Stats } from "node:fs";
import { open, readlink, realpath, rename, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { OperatorError } from "../operator-error.ts";
import { NAMES } from "./manifest.ts";

/** Names that are reserved in a data folder. */
const OWN_NAME = /^(snap\.db|secret\.key)/;

/** Linux follows at most this many links in a path. */
const LINKS_MAX = 40;

/**
 * Returns the absolute path of a backup to write; for a link, that of the file that it points to. A typo must not
 * destroy a file, so only an earlier backup or an empty file is replaced.
 *
 * @throws OperatorError `backup_invalid`.
 */
export async function checkTargetFile(file: string, dataDir: string): Promise<string> {
  const target = await followLinks(resolve(file));
  const parent = await realpath(dirname(target)).catch(() => null);
  if (parent === null) throw invalidTarget(`${dirname(target)} is not a folder`);
  const inFolder = relative(await realpath(dataDir).catch(() => dataDir), join(parent, basename(target)));
  if (OWN_NAME.test(inFolder)) throw invalidTarget(`${target} is reserved for the data folder`);
  // not the target: what a link in /proc points to, such as a pipe, has no path
  const existing = await stat(file).catch(() => null);
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
  const link = linksLeft === 0 ? null : await readlink(path).catch(() => null);
  if (link === null) return path;
  return followLinks(resolve(await realpath(dirname(path)), link), linksLeft - 1);
}

/** A backup begins with the header of its manifest, which begins with the name. */
async function isReplaceable(path: string, existing: Stats): Promise<boolean> {
  if (!existing.isFile()) return false;
  if (existing.size === 0) return true;
  const file = await open(path);
  try {
    const name = Buffer.from(`${NAMES.manifest}\0`);
    const { buffer } = await file.read(Buffer.alloc(name.byteLength), 0, name.byteLength, 0);
    return buffer.equals(name);
  } finally {
    await file.close();
  }
}

function invalidTarget(problem: string): OperatorError {
  return new OperatorError("backup_invalid", problem, "no backup was made; choose another file");
}
