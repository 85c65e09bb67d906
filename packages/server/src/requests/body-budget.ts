import { SnapError } from "@snap/engine";
import { ByteBudget } from "@snap/engine/internals";
import { DOCUMENT_LIMITS } from "@snap/protocol";
import type { IncomingMessage } from "node:http";
import { HTTP_LIMITS } from "./limits.ts";
import { hasBody } from "./request-body.ts";

/** Limits the memory for large bodies of requests in flight, in total and per account. */
export class BodyBudget {
  readonly #budget = new ByteBudget({
    perAccountBytes: HTTP_LIMITS.bodiesPerAccountBytes,
    totalBytes: HTTP_LIMITS.bodiesBytes,
  });

  /**
   * Takes the memory that a request's body may need, before the body is read. Returns a function that frees it.
   *
   * @throws SnapError `upstream_rate_limited` if there is not enough left.
   */
  take(request: IncomingMessage, accountId: string): () => void {
    const declared = Number(request.headers["content-length"] ?? Infinity);
    const bytes = hasBody(request) ? Math.min(declared, DOCUMENT_LIMITS.uploadBytes) : 0;
    const free = this.#budget.take(accountId, bytes);
    if (free === null)
      throw new SnapError(
        "upstream_rate_limited",
        "Too much content is waiting to be rendered. Retry shortly.",
      );
    return free;
  }
}
