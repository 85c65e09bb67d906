import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { invalidFile, tooManyFiles, type SentFile } from "@snap/engine/internals";
import { DOCUMENT_LIMITS } from "@snap/protocol";
import { MIMEType } from "node:util";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import { invalidBody } from "../requests/request-body.ts";

/** Parsing yields to the event loop between chunks. */
const CHUNK_BYTES = 16 * 1024;
const HEADER_BYTES = 4096;
/** Encodings that change nothing (RFC 7578, 4.7). */
const IDENTITY = /^(7bit|8bit|binary)$/;
const UNNAMED = "must be sent as a file with a file name";

/**
 * Reads the files of a form. Their file names are their paths.
 *
 * @throws SnapError `payload_too_large` for too many files; `validation_failed` for a malformed body, a field that is
 * not a file, or a file with a transfer encoding.
 */
export function readMultipart(body: Buffer, contentType: string): Promise<readonly SentFile[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly SentFile[]>();
  const files: SentFile[] = [];
  const fail = (): void => reject(invalidBody("must be well-formed multipart/form-data"));
  const opened = openParser(contentType);
  if (opened === null)
    throw invalidBody("must be sent with a boundary, as in multipart/form-data; boundary=x");
  const { parser, boundary } = opened;
  parser.on("file", (field, stream, name: string | undefined, encoding) => {
    stream.on("error", fail);
    if (name === undefined) reject(invalidFile(field ?? "body", UNNAMED));
    else if (!IDENTITY.test(encoding))
      reject(invalidFile(name, "must be sent without a Content-Transfer-Encoding"));
    else collect(stream, (bytes) => files.push({ path: name, bytes }));
  });
  parser.on("field", (field) => reject(invalidFile(field ?? "body", UNNAMED)));
  for (const limit of ["filesLimit", "partsLimit"] as const) parser.on(limit, () => reject(tooManyFiles()));
  parser.on("error", fail);
  parser.on("finish", () => {
    // the parser skips parts that it cannot read; a delimiter is before each part and after the last
    const expected = files.length + 1;
    if (countDelimiters(body, { boundary, max: expected }) === expected) resolve(files);
    else reject(invalidBody("must contain only parts with a file and its file name"));
  });
  const ended = new AbortController();
  feed(parser, { body, signal: ended.signal }).catch(fail);
  return promise.finally(() => ended.abort());
}

/**
 * Stops counting once there are more than `max`: the parser ignores what follows the closing
 * delimiter, but that can contain millions of delimiters.
 */
function countDelimiters(
  body: Buffer,
  { boundary, max }: { readonly boundary: string; readonly max: number },
): number {
  const delimiter = `\r\n--${boundary}`;
  // a body may begin with a delimiter, without the line break
  let count = body.indexOf(delimiter.slice(2)) === 0 ? 1 : 0;
  for (
    let at = body.indexOf(delimiter);
    at !== -1 && count <= max;
    at = body.indexOf(delimiter, at + delimiter.length)
  )
    count += 1;
  return count;
}

/** Stops at the first problem: a body of nothing but boundaries would block the event loop for seconds. */
async function feed(
  parser: BusboyInstance,
  { body, signal }: { readonly body: Buffer; readonly signal: AbortSignal },
): Promise<void> {
  for (let start = 0; start < body.byteLength && !signal.aborted; start += CHUNK_BYTES) {
    parser.write(body.subarray(start, start + CHUNK_BYTES));
    await yieldToOthers();
  }
  if (!signal.aborted) parser.end();
}

/** Returns `null` if there is no boundary. */
function openParser(
  contentType: string,
): { readonly parser: BusboyInstance; readonly boundary: string } | null {
  const { files } = DOCUMENT_LIMITS;
  try {
    const boundary = new MIMEType(contentType).params.get("boundary") ?? "";
    const parser = new Busboy({
      headers: { "content-type": contentType },
      preservePath: true,
      limits: { files, parts: files + 1, headerPairs: 20, headerSize: HEADER_BYTES, fieldSize: 0 },
    });
    return { parser, boundary };
  } catch {
    return null;
  }
}

function collect(stream: BusboyFileStream, onEnd: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.on("end", () => onEnd(Buffer.concat(chunks)));
}
