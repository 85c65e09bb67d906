import { ByteBudget } from "./byte-budget.ts";

/** Renderings of one account that can be in transit to and from object stores at the same time. */
const ACCOUNT_BYTES = 128 * 1024 * 1024;
/** Accounts that can use all of that at the same time. */
const ACCOUNTS = 4;

/**
 * Returns the budget of the renderings in transit. An account's share always has room for one of the largest.
 */
export function createTransferBudget(maxRenderingBytes: number): ByteBudget {
  const perAccountBytes = Math.max(ACCOUNT_BYTES, maxRenderingBytes);
  return new ByteBudget({ perAccountBytes, totalBytes: ACCOUNTS * perAccountBytes });
}
