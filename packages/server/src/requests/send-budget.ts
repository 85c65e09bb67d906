import { SnapError } from "@snap/engine";
import { createTransferBudget } from "@snap/engine/internals";

interface SentFile {
  /** Number of responses that send it. */
  responses: number;
  readonly release: () => void;
}

/** Limits the memory for what responses contain, in total and per account, because a client can be slow. */
export class SendBudget {
  readonly #budget;
  /** Responses with the same rendering share its memory, so it counts once. */
  readonly #files = new Map<ArrayBufferLike, SentFile>();

  /** @param maxRenderingBytes - Largest rendering; 64 MiB by default. */
  constructor(maxRenderingBytes?: number) {
    this.#budget = createTransferBudget(maxRenderingBytes);
  }

  /**
   * Takes the memory of a file, and returns a function that frees it.
   *
   * @throws SnapError `upstream_rate_limited` if there is not enough left.
   */
  takeFile(accountId: string, { buffer, byteLength }: Uint8Array): () => void {
    const file = this.#files.get(buffer) ?? { responses: 0, release: this.take(accountId, byteLength) };
    file.responses += 1;
    this.#files.set(buffer, file);
    return () => {
      file.responses -= 1;
      if (file.responses > 0) return;
      this.#files.delete(buffer);
      file.release();
    };
  }

  /** Like `takeFile`, for memory that no other response shares. */
  take(accountId: string, bytes: number): () => void {
    const release = this.#budget.take(accountId, bytes);
    if (release !== null) return release;
    throw new SnapError(
      "upstream_rate_limited",
      "Too many renderings are being sent. Receive the other responses, or retry shortly.",
    );
  }
}
