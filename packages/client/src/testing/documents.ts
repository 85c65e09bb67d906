import { DOCUMENT_LIMITS, documentUrl, type StoredDocument } from "@snap/protocol";
import { digestOf } from "./renders.ts";
import { FailedRequest, rejectProblem } from "./responses.ts";

/** The documents of the fake service. It stores only their metadata, not their content. */
export class FakeDocuments {
  readonly #now: () => number;
  readonly #documents = new Map<string, StoredDocument>();

  constructor(now: () => number) {
    this.#now = now;
  }

  create(body: string, headers: Headers, query: URLSearchParams): StoredDocument {
    // the boundary of a form is random
    const [contentType = "", boundary = ""] = (headers.get("Content-Type") ?? "").split(/;\s*boundary=/);
    const content = boundary === "" ? body : body.replaceAll(boundary, "");
    const id = digestOf(`${contentType}\n${content}`);
    const expiresAt = new Date(this.#now() + 1000 * readTtlSeconds(query)).toISOString();
    const earlier = this.#documents.get(id)?.expires_at ?? "";
    const stored: StoredDocument = {
      id,
      url: documentUrl(id),
      content_type: contentType,
      bytes: new TextEncoder().encode(content).byteLength,
      files: boundary === "" ? 1 : body.split(`--${boundary}\r\n`).length - 1,
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

/** @throws FailedRequest if it is out of range. */
function readTtlSeconds(query: URLSearchParams): number {
  const { ttlMinSeconds: min, ttlMaxSeconds: max, ttlDefaultSeconds } = DOCUMENT_LIMITS;
  const text = query.get("documentTtl");
  if (text === null) return ttlDefaultSeconds;
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  const isValid = seconds >= min && seconds <= max;
  rejectProblem("documentTtl", isValid ? null : `must be an integer from ${min} to ${max}`);
  return seconds;
}
