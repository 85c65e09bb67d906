import { DOCUMENT_LIMITS, DOCUMENT_ORIGIN, type StoredDocument } from "@snap/protocol";
import { digestOf } from "./renders.ts";
import { FailedRequest } from "./responses.ts";

/** The documents of the fake service. It stores only their metadata, not their content. */
export class FakeDocuments {
  readonly #now: () => number;
  readonly #documents = new Map<string, StoredDocument>();

  constructor(now: () => number) {
    this.#now = now;
  }

  create(body: string, headers: Headers): StoredDocument {
    // the boundary of a form is random
    const [contentType = "", boundary = ""] = (headers.get("Content-Type") ?? "").split(/;\s*boundary=/);
    const content = boundary === "" ? body : body.replaceAll(boundary, "");
    const id = digestOf(content);
    const stored: StoredDocument = {
      id,
      url: `${DOCUMENT_ORIGIN}/${id}/`,
      content_type: contentType,
      bytes: new TextEncoder().encode(content).byteLength,
      files: boundary === "" ? 1 : body.split(`--${boundary}\r\n`).length - 1,
      expires_at: new Date(this.#now() + 1000 * DOCUMENT_LIMITS.ttlDefaultSeconds).toISOString(),
    };
    this.#documents.set(id, stored);
    return stored;
  }

  get(id: string): StoredDocument {
    const stored = this.#documents.get(id);
    if (stored === undefined) throw new FailedRequest({ code: "not_found" });
    return stored;
  }

  delete(id: string): void {
    this.get(id);
    this.#documents.delete(id);
  }
}
