import { SnapError } from "@snap/engine";
import { DOCUMENT_LIMITS } from "@snap/protocol";
import type { IncomingMessage } from "node:http";
import { HTTP_LIMITS } from "./limits.ts";
import { hasBody } from "./request-body.ts";

/** Limits the memory for large bodies of requests in flight, in total and per account. */
export class BodyBudget {
  readonly #bytes = new Map<string, number>();
  #totalBytes = 0;

  /**
   * Takes the memory that a request's body may need, before the body is read. Returns a function that frees it.
   *
   * @throws SnapError `upstream_rate_limited` if there is not enough left.
   */
  take(request: IncomingMessage, accountId: string): () => void {
    const declared = Number(request.headers["content-length"] ?? Infinity);
    const bytes = hasBody(request) ? Math.min(declared, DOCUMENT_LIMITS.uploadBytes) : 0;
    const accountBytes = this.#bytes.get(accountId) ?? 0;
    if (
      accountBytes + bytes > HTTP_LIMITS.bodiesPerAccountBytes ||
      this.#totalBytes + bytes > HTTP_LIMITS.bodiesBytes
    )
      throw new SnapError(
        "upstream_rate_limited",
        "Too much content is waiting to be rendered. Retry shortly.",
      );
    this.#add(accountId, bytes);
    return () => this.#add(accountId, -bytes);
  }

  #add(accountId: string, bytes: number): void {
    const accountBytes = (this.#bytes.get(accountId) ?? 0) + bytes;
    this.#totalBytes += bytes;
    if (accountBytes === 0) this.#bytes.delete(accountId);
    else this.#bytes.set(accountId, accountBytes);
  }
}
