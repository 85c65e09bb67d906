import type { Clock } from "../ports/clock.ts";
import type { TokenRecord, TokenStore } from "../ports/tokens.ts";

const HOUR_MS = 60 * 60 * 1000;
/** How long uses are collected before they are written, outside of any request. */
const WRITE_DELAY_MS = 10_000;

/** Records the hour in which each token was last used. No request waits for it, and it reads nothing. */
export interface TokenUses {
  /** @param token As read for this request. */
  record(token: TokenRecord): void;
  /** Writes the uses that have not been written yet. */
  close(): Promise<void>;
}

/**
 * Writes about once an hour for each token, because every process reads the stored use. If a write
 * fails, the next request's use is recorded instead.
 */
export function createTokenUses({
  store,
  clock,
  onBackgroundError,
}: {
  readonly store: Pick<TokenStore, "recordUse">;
  readonly clock: Clock;
  readonly onBackgroundError: (error: unknown) => void;
}): TokenUses {
  /** Hour of the last use, by token id. */
  let pending = new Map<number, number>();
  let cancel = (): void => {};
  let writing: Promise<unknown> = Promise.resolve();

  const write = async (): Promise<void> => {
    const uses = pending;
    pending = new Map();
    try {
      for (const [id, usedAt] of uses) await store.recordUse({ id, usedAt });
    } catch (error) {
      onBackgroundError(error);
    }
  };
  const writeNext = (): void => {
    writing = Promise.all([writing, write()]);
  };
  return {
    record({ id, createdAt, lastUsedAt }) {
      const now = clock.now();
      const usedAt = Math.max(createdAt, now - (now % HOUR_MS));
      if (lastUsedAt !== null && lastUsedAt >= usedAt) return;
      if (pending.size === 0) cancel = clock.after(WRITE_DELAY_MS, writeNext);
      pending.set(id, usedAt);
    },
    async close() {
      cancel();
      writeNext();
      await writing;
    },
  };
}
