import {
  checkPage,
  checkPaths,
  DOCUMENT_LIMITS,
  DOCUMENT_TYPES,
  documentUrl,
  ProblemList,
  type StoredDocument,
} from "@snap/protocol";
import { digestOf } from "./renders.ts";
import { FailedRequest, rejectInvalid, rejectProblem } from "./responses.ts";

/** The documents of the fake service. It stores only their metadata, not their content, and does not unpack ZIP files. */
export class FakeDocuments {
  readonly #now: () => number;
  readonly #documents = new Map<string, StoredDocument>();

  constructor(now: () => number) {
    this.#now = now;
  }

  create(body: string, headers: Headers, query: URLSearchParams): StoredDocument {
    const ttlSeconds = readTtlSeconds(query);
    const sentType = headers.get("Content-Type") ?? "";
    const contentType = sentType.replace(/;.*/, "").trim().toLowerCase();
    const [, boundary = ""] = /boundary="?([^";]+)/.exec(sentType) ?? [];
    const parts = body.split(`--${boundary}\r\n`).slice(1);
    checkUpload(contentType, { body, parts });
    // the boundary of a form is random
    const content = boundary === "" ? body : body.replaceAll(boundary, "");
    const id = digestOf(`${contentType}\n${content}`);
    const expiresAt = new Date(this.#now() + 1000 * ttlSeconds).toISOString();
    const earlier = this.#documents.get(id)?.expires_at ?? "";
    const stored: StoredDocument = {
      id,
      url: documentUrl(id),
      content_type: contentType,
      bytes: new TextEncoder().encode(content).byteLength,
      files: boundary === "" ? 1 : parts.length,
      expires_at: expiresAt > earlier ? expiresAt : earlier,
    };
    this.#documents.set(id, stored);
    return stored;
  }

  /** Returns `undefined` for a document that is unknown, was deleted or has expired. */
  find(id: string): StoredDocument | undefined {
    const stored = this.#documents.get(id);
    return stored !== undefined && Date.parse(stored.expires_at) > this.#now() ? stored : undefined;
  }

  get(id: string): StoredDocument {
    const stored = this.find(id);
    if (stored === undefined) throw new FailedRequest({ code: "not_found" });
    return stored;
  }

  delete(id: string): void {
    this.get(id);
    this.#documents.delete(id);
  }
}

/**
 * @throws FailedRequest for a wrong type, an empty page, a truncated ZIP file, or invalid paths
 * in a form.
 */
function checkUpload(
  contentType: string,
  { body, parts }: { readonly body: string; readonly parts: readonly string[] },
): void {
  const problems = new ProblemList();
  switch (contentType) {
    case DOCUMENT_TYPES.html:
    case DOCUMENT_TYPES.markdown:
      if (body === "") problems.add("body", "must not be empty");
      break;
    case DOCUMENT_TYPES.zip:
      // the signature of the record at its end
      if (!body.includes("PK\x05\x06")) problems.add("body", "must be a well-formed ZIP file");
      break;
    case DOCUMENT_TYPES.multipart: {
      const paths = parts.map((part) => /filename="([^"]*)"/.exec(part)?.[1]?.normalize("NFC") ?? "");
      checkPaths(paths, problems);
      checkPage(paths, problems);
      break;
    }
    default:
      problems.add("body", `must be sent with Content-Type: ${Object.values(DOCUMENT_TYPES).join(", ")}`);
  }
  rejectInvalid(problems.toFailure());
}

/** @throws FailedRequest if `documentTtl` is not an integer within its range. */
function readTtlSeconds(query: URLSearchParams): number {
  const { ttlMinSeconds: min, ttlMaxSeconds: max, ttlDefaultSeconds } = DOCUMENT_LIMITS;
  const text = query.get("documentTtl");
  if (text === null) return ttlDefaultSeconds;
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  const isValid = seconds >= min && seconds <= max;
  rejectProblem("documentTtl", isValid ? null : `must be an integer from ${min} to ${max}`);
  return seconds;
}
