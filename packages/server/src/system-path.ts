import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Returns the absolute path of a file that need not exist, in its folder's real path. Unlike
 * `resolve`, treats `..` as the system does: a symbolic link before it is followed first.
 *
 * @throws Error of the system if the folder does not exist.
 */
export async function systemPath(file: string): Promise<string> {
  return join(await realpath(dirname(file)), basename(file));
}
