import type { Clock } from "../ports/clock.ts";
import type { TokenRecord, TokenStore } from "../ports/tokens.ts";

const HOUR_MS = 60 * 60 * 1000;
/** Collected for so long, then written outside of any request. */
const WRITE_DELAY_MS = 10_000;

/** Records when tokens are used, to the hour. No request waits for it, and it reads nothing. */
export interface TokenUses {
  /** @param token As it was read for this request. */
  record(token: TokenRecord): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

/** Writes at most once per token and hour. A use that could not be written is recorded by the next request instead. */
export function createTokenUses({
  store,
  clock,
  onBackgroundError,
}: {
  readonly store: Pick<TokenStore, "recordUse">;
  readonly clock: Clock;
  readonly onBackgroundError: (error: unknown) => void;
}): TokenUses {
  /** Hour of the use by token id. */
  let pending = new Map<number, number>();
  let cancel = (): void => {};

  const write = async (): Promise<void> => {
    const uses = pending;
    pending = new Map();
    try {
      for (const [id, usedAt] of uses) await store.recordUse({ id, usedAt });
    } catch (error) {
      onBackgroundError(error);
    }
  };
  return {
    record({ id, lastUsedAt }) {
      const now = clock.now();
      const usedAt = now - (now % HOUR_MS);
      if (lastUsedAt !== null && lastUsedAt >= usedAt) return;
      if (pending.size === 0) cancel = clock.after(WRITE_DELAY_MS, () => void write());
      pending.set(id, usedAt);
    },
    async close() {
      cancel();
      await write();
    },
  };
}
