import { messageOf } from "@snap/engine/internals";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { SECRET_NAMES } from "@snap/protocol";
import { UsageError } from "./errors.ts";

/** Precedes the path of a file, as in curl. No valid JSON starts with it, and few user names do. */
const FILE_PREFIX = "@";
const STDIN = "-";

/**
 * Reads the secrets whose options name a file, which keeps them out of process lists: `@access.json`, or `@-` for
 * stdin. Drops a file's trailing newlines.
 *
 * @throws UsageError if a file cannot be read, or if two options name stdin.
 */
export async function readSecretOptions(
  pairs: readonly [string, string][],
): Promise<readonly [string, string][]> {
  const isFromFile = ([name, value]: [string, string]): boolean =>
    SECRET_NAMES.has(name) && value.startsWith(FILE_PREFIX);
  if (pairs.filter((pair) => isFromFile(pair) && pair[1] === `${FILE_PREFIX}${STDIN}`).length > 1)
    throw new UsageError("two options read stdin", "put one of the values into a file");
  return Promise.all(
    pairs.map(async (pair) => (isFromFile(pair) ? [pair[0], await readSecret(pair[1].slice(1))] : pair)),
  );
}

async function readSecret(file: string): Promise<string> {
  try {
    const content = file === STDIN ? await text(process.stdin) : await readFile(file, "utf8");
    return content.replace(/[\r\n]+$/, "");
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${messageOf(error)}`);
  }
}
