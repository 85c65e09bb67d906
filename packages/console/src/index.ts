import { readdirSync, readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

export interface ConsoleFile {
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Whether the name contains a hash of the content, so caches can store the file forever. */
  readonly isImmutable: boolean;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Resolves to the same folder from `src` and from `dist`. */
const FOLDER = fileURLToPath(new URL("../dist/app", import.meta.url));

/**
 * Returns the files of the console by path, relative to the path where you serve them; `""` is the page. The page
 * resolves the API against its own URL: at `/x/console/`, it calls `/x/admin/v1/` and `/x/v1/`.
 *
 * @throws Error if the package has not been built.
 * @example
 * const page = consoleFiles().get("");
 * page?.contentType; // "text/html; charset=utf-8"
 */
export function consoleFiles(): ReadonlyMap<string, ConsoleFile> {
  const paths = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    paths.map((path) => {
      const name = path.slice(FOLDER.length + 1).replaceAll(sep, "/");
      const contentType = CONTENT_TYPES[extname(name)] ?? "application/octet-stream";
      const file = { contentType, body: readFileSync(path), isImmutable: name.startsWith("assets/") };
      return [name === "index.html" ? "" : name, file];
    }),
  );
}

/**
 * The `Content-Security-Policy` of every file. It allows nothing from other origins, and no inline scripts or styles.
 * `blob:` URLs are for renderings. With Trusted Types, the browser rejects HTML that scripts assemble from text.
 */
export const CONTENT_SECURITY_POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "frame-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
