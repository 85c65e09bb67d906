import { DEFAULT_MAX_RENDERING_BYTES } from "../rendering-limit.ts";

/** Bytes of one account's renderings that can be in transit at once, to and from object stores or to clients. */
const ACCOUNT_BYTES = 128 * 1024 * 1024;
/** Number of accounts that can use all of that at the same time. */
const ACCOUNTS = 4;

export interface ByteBudgetLimits {
  readonly perAccountBytes: number;
  readonly totalBytes: number;
}

/** Limits the bytes in memory for work in flight, in total and per account. */
export class ByteBudget {
  readonly #bytes = new Map<string, number>();
  readonly #limits: ByteBudgetLimits;
  #totalBytes = 0;

  constructor(limits: ByteBudgetLimits) {
    this.#limits = limits;
  }

  /** Returns a function that frees the bytes; `null` if there are not enough left. */
  take(accountId: string, bytes: number): (() => void) | null {
    const accountBytes = (this.#bytes.get(accountId) ?? 0) + bytes;
    const { perAccountBytes, totalBytes } = this.#limits;
    if (accountBytes > perAccountBytes || this.#totalBytes + bytes > totalBytes) return null;
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

/** Returns the budget of the renderings in transit. An account's part always has room for one of maximum size. */
export function createTransferBudget(maxRenderingBytes = DEFAULT_MAX_RENDERING_BYTES): ByteBudget {
  const perAccountBytes = Math.max(ACCOUNT_BYTES, maxRenderingBytes);
  return new ByteBudget({ perAccountBytes, totalBytes: ACCOUNTS * perAccountBytes });
}
