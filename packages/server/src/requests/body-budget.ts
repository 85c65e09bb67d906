import { SnapError } from "@snap/engine";
import { DOCUMENT_LIMITS } from "@snap/protocol";
import type { IncomingMessage } from "node:http";
import { HTTP_LIMITS } from "./limits.ts";
import { hasBody } from "./request-body.ts";

/** Limits the memory for the large bodies of the requests in flight, in total and per account. */
export class BodyBudget {
  readonly #bytes = new Map<string, number>();
  #totalBytes = 0;

  /**
   * Takes what the body of a request may need, before it is read. Returns a function that gives it back.
   *
   * @throws SnapError `upstream_rate_limited` if there is not enough left.
   */
  take(request: IncomingMessage, accountId: string): () => void {
    const declared = Number(request.headers["content-length"] ?? Infinity);
    const bytes = hasBody(request) ? Math.min(declared, DOCUMENT_LIMITS.uploadBytes) : 0;
    const own = this.#bytes.get(accountId) ?? 0;
    if (own + bytes > HTTP_LIMITS.bodiesPerAccountBytes || this.#totalBytes + bytes > HTTP_LIMITS.bodiesBytes)
      throw new SnapError("upstream_rate_limited", "Too much content waits to be rendered. Retry shortly.");
    this.#add(accountId, bytes);
    return () => this.#add(accountId, -bytes);
  }

  #add(accountId: string, bytes: number): void {
    const own = (this.#bytes.get(accountId) ?? 0) + bytes;
    this.#totalBytes += bytes;
    if (own === 0) this.#bytes.delete(accountId);
    else this.#bytes.set(accountId, own);
  }
}
