import { DOCUMENT_LIMITS, ProblemList } from "@snap/protocol";
import { isUtf8 } from "node:buffer";
import { invalidParameter, rejectProblems, SnapError } from "../errors.ts";
import { isText } from "./content-types.ts";
import { normalizePath } from "./normalize-path.ts";
import { HTML_PAGE, MARKDOWN_PAGE } from "./pages.ts";

/** A file as it was sent. */
export interface SentFile {
  /** Relative, separated by `/`. */
  readonly path: string;
  /** Text is encoded as UTF-8. */
  readonly bytes: Uint8Array | string;
}

/** Names come from the caller and can have any length. */
const NAME_CHARACTERS_MAX = 128;

/** A file with a valid path and, if it is text, valid UTF-8. */
export interface CheckedFile {
  /** In Unicode NFC. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Returns the files sorted by the bytes of their paths.
 *
 * @param options.label - The content's name in `errors`, unless it is a list of files.
 * @throws SnapError `payload_too_large` for too many or too large files, `validation_failed` for anything else.
 */
export function checkFiles(
  sent: readonly SentFile[],
  { label }: { readonly label: string | null },
): readonly CheckedFile[] {
  if (sent.length > DOCUMENT_LIMITS.files) throw tooManyFiles();
  const files = sent.map(({ path, bytes }) => ({
    path: normalizePath(path),
    bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes,
  }));
  const size = new UnpackedSize();
  for (const { path, bytes } of files) size.add(label ?? path, bytes.byteLength);
  const problems = new ProblemList();
  for (const [path, message] of findPathProblems(files.map((file) => file.path))) problems.add(path, message);
  for (const { path, bytes } of files)
    if (isText(path) && !isUtf8(bytes)) problems.add(label ?? path, "must be encoded as UTF-8");
  if (label !== null && files.every(({ bytes }) => bytes.byteLength === 0))
    problems.add(label, "must not be empty");
  requirePage(files, problems);
  rejectProblems(problems, "validation_failed");
  return files.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

/** Adds up the size of the files while they are unpacked. */
export class UnpackedSize {
  #bytes = 0;

  /** @throws SnapError `payload_too_large` naming this file, if all files together exceed the limit. */
  add(path: string, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= DOCUMENT_LIMITS.unpackedBytes) return;
    const problem = `exceeds the limit of ${DOCUMENT_LIMITS.unpackedBytes} bytes for all files together`;
    const name = path.slice(0, NAME_CHARACTERS_MAX);
    throw new SnapError("payload_too_large", `Document too large: ${name} ${problem}.`, {
      errors: { [name]: [problem] },
    });
  }
}

/** Returns the error for a file that cannot be used. */
export function invalidFile(path: string, problem: string): SnapError {
  return invalidParameter(path.slice(0, NAME_CHARACTERS_MAX), problem);
}

export function tooManyFiles(): SnapError {
  const problem = `must contain at most ${DOCUMENT_LIMITS.files} files`;
  return new SnapError("payload_too_large", `A document ${problem}.`, { errors: { body: [problem] } });
}

/** Yields each unusable path, and why. */
function* findPathProblems(paths: readonly string[]): Generator<readonly [string, string]> {
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const path of paths) {
    const problem = findPathProblem(path);
    if (problem !== null) {
      yield [path, problem];
      continue;
    }
    if (files.has(path)) yield [path, "is sent more than once"];
    files.add(path);
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1))
      folders.add(path.slice(0, end));
  }
  // reserved for the page that is generated from it
  if (files.has(MARKDOWN_PAGE)) files.add(HTML_PAGE);
  for (const path of files) if (folders.has(path)) yield [path, "is both a file and a folder"];
}

/** Returns why a path is invalid, or `null` if it is valid. */
export function findPathProblem(path: string): string | null {
  const isTooLong = Buffer.byteLength(path) > DOCUMENT_LIMITS.pathBytes;
  if (isTooLong) return `must have a path of at most ${DOCUMENT_LIMITS.pathBytes} bytes`;
  if (!path.isWellFormed() || /[\p{Cc}\\]/u.test(path))
    return "must have a path without backslashes, control characters or unpaired surrogates";
  // decoders replace each invalid sequence with this character
  if (path.includes("\u{FFFD}")) return "must have a name that is valid UTF-8";
  if (path.startsWith("/") || /^[a-z]:/i.test(path))
    return "must have a relative path, without a drive letter";
  const segments = path.split("/");
  return segments.some((segment) => segment === "" || segment === "." || segment === "..")
    ? "must have a path without empty, . or .. segments"
    : null;
}

function requirePage(files: readonly CheckedFile[], problems: ProblemList): void {
  const paths = files.map(({ path }) => path);
  const [hasHtml, hasMarkdown] = [paths.includes(HTML_PAGE), paths.includes(MARKDOWN_PAGE)];
  if (hasHtml && hasMarkdown)
    problems.add(MARKDOWN_PAGE, "cannot be sent with index.html; send only one of them");
  if (hasHtml || hasMarkdown) return;
  const nearMiss = paths.find((path) => /(^|\/)index\.(html?|md|markdown)$/i.test(path));
  const hint = nearMiss === undefined ? "" : `; rename or move ${nearMiss.slice(0, NAME_CHARACTERS_MAX)}`;
  problems.add("body", `must contain index.html or index.md at its root${hint}`);
}
