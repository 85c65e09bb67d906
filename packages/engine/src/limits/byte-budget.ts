import { DEFAULT_MAX_RENDERING_BYTES } from "../rendering-limit.ts";

/** Bytes of one account's renderings in transit, per budget: cache, deliveries and responses each have one. */
const ACCOUNT_BYTES = 128 * 1024 * 1024;
/** Number of accounts that can reach that limit at the same time. */
const ACCOUNTS_AT_LIMIT = 4;

export interface ByteBudgetLimits {
  readonly perAccountBytes: number;
  readonly totalBytes: number;
}

/** Limits the memory for renderings and request bodies, in total and per account. */
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

/** Creates a budget for renderings in transit. The limit per account is never below the size of the largest rendering. */
export function createTransferBudget(maxRenderingBytes = DEFAULT_MAX_RENDERING_BYTES): ByteBudget {
  const perAccountBytes = Math.max(ACCOUNT_BYTES, maxRenderingBytes);
  return new ByteBudget({ perAccountBytes, totalBytes: ACCOUNTS_AT_LIMIT * perAccountBytes });
}
