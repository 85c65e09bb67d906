import { checkPage, checkPaths, DOCUMENT_LIMITS, MAX_NAME_CHARACTERS, ProblemList } from "@snap/protocol";
import { isUtf8 } from "node:buffer";
import { invalidParameter, rejectProblems, SnapError } from "../errors.ts";
import { isText } from "./content-types.ts";
import { normalizePath } from "./normalize-path.ts";

/** A file as it was sent. */
export interface SentFile {
  /** Relative, separated by `/`. */
  readonly path: string;
  /** Text is encoded as UTF-8. */
  readonly bytes: Uint8Array | string;
}

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
  const paths = files.map(({ path }) => path);
  checkPaths(paths, problems);
  for (const { path, bytes } of files)
    if (isText(path) && !isUtf8(bytes)) problems.add(label ?? path, "must be encoded as UTF-8");
  if (label !== null && files.every(({ bytes }) => bytes.byteLength === 0))
    problems.add(label, "must not be empty");
  checkPage(paths, problems);
  rejectProblems(problems, "validation_failed");
  return files.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

/** Adds up the sizes of a document's files. */
export class UnpackedSize {
  #bytes = 0;

  /** @throws SnapError `payload_too_large` naming this file, if all files together exceed the limit. */
  add(path: string, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= DOCUMENT_LIMITS.unpackedBytes) return;
    const problem = `exceeds the limit of ${DOCUMENT_LIMITS.unpackedBytes} bytes for all files together`;
    const name = path.slice(0, MAX_NAME_CHARACTERS);
    throw new SnapError("payload_too_large", `Document too large: ${name} ${problem}.`, {
      errors: { [name]: [problem] },
    });
  }
}

/** Returns the error for a file that cannot be used. */
export function invalidFile(path: string, problem: string): SnapError {
  return invalidParameter(path.slice(0, MAX_NAME_CHARACTERS), problem);
}

/** @param limit - What a document, or the ZIP file that contains it, may contain. */
export function tooManyFiles(limit = `${DOCUMENT_LIMITS.files} files`): SnapError {
  const problem = `must contain at most ${limit}`;
  return new SnapError("payload_too_large", `A document ${problem}.`, { errors: { body: [problem] } });
}
