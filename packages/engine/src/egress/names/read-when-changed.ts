import { readFileSync, statSync } from "node:fs";

/**
 * Returns a function that returns a small file's parsed text, and rereads the file when it has changed. A file that
 * cannot be read counts as empty.
 */
export function readWhenChanged<T>(path: string, parse: (text: string) => T): () => T {
  let version: string | null = null;
  let parsed = parse("");
  return () => {
    const current = versionOf(path);
    if (current === version) return parsed;
    version = current;
    parsed = parse(current === null ? "" : readText(path));
    return parsed;
  };
}

function versionOf(path: string): string | null {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join();
  } catch {
    return null;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
