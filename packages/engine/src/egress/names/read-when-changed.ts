import { readFileSync, statSync } from "node:fs";

/**
 * Returns a function that returns a small file's parsed text, and rereads the file when it has changed. A file that
 * cannot be read counts as empty, and is read again on the next call.
 */
export function readWhenChanged<T>(path: string, parse: (text: string) => T): () => T {
  let version: string | null = null;
  let parsed = parse("");
  return () => {
    const current = versionOf(path);
    if (current === version) return parsed;
    const text = current === null ? "" : readText(path);
    // a read can fail temporarily, for example if no file descriptor is free
    version = text === null ? null : current;
    parsed = parse(text ?? "");
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

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
