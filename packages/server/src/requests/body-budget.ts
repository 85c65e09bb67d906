import { ByteBudget } from "@snap/engine/internals";
import { HTTP_LIMITS } from "./limits.ts";

/** The memory for one body, taken as it arrives. */
export interface BodyMemory {
  /** Returns `false`, and frees what the body has taken, if there is not enough left. */
  take(bytes: number): boolean;
  release(): void;
}

/** Limits the memory for large bodies of requests in flight, in total and per account. */
export class BodyBudget {
  readonly #budget = new ByteBudget({
    perAccountBytes: HTTP_LIMITS.bodiesPerAccountBytes,
    totalBytes: HTTP_LIMITS.totalBodyBytes,
  });

  /** A body takes nothing before it arrives, so a request that only declares a length takes nothing from others. */
  open(accountId: string): BodyMemory {
    const taken: (() => void)[] = [];
    const release = (): void => {
      for (const releaseBytes of taken.splice(0)) releaseBytes();
    };
    return {
      release,
      take: (bytes) => {
        const releaseBytes = this.#budget.take(accountId, bytes);
        if (releaseBytes === null) release();
        else taken.push(releaseBytes);
        return releaseBytes !== null;
      },
    };
  }
}
