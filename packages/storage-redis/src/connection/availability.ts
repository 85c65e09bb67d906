import { setTimeout as pause } from "node:timers/promises";

/** Until the next look whether it is back. */
const LOOK_AGAIN_MS = 500;

/** Runs a command on Redis; while Redis can't be used, or when it fails, answers `otherwise`. Never rejects. */
export type Attempt = <T>(command: () => Promise<T>, otherwise: () => T) => Promise<T>;

export interface Availability {
  readonly attempt: Attempt;
  /** It can't be used any more, for this reason. */
  lose(reason: unknown): void;
  close(): void;
}

export interface AvailabilityOptions {
  readonly commandTimeoutMs: number;
  /** Rejects while it can't be used. */
  readonly probe: () => Promise<void>;
  /** What has to be done before it is used again. */
  readonly owed: { isEmpty(): boolean; carryOut(): Promise<void> };
  readonly onLost: (reason: unknown) => void;
  readonly onBack: () => void;
}

/**
 * Keeps calls from waiting for a Redis that doesn't answer: after the first failure none is sent until a
 * probe has come through.
 */
export function createAvailability({
  commandTimeoutMs,
  probe,
  owed,
  onLost,
  onBack,
}: AvailabilityOptions): Availability {
  let state: "usable" | "lost" | "closed" = "usable";
  const is = (wanted: typeof state): boolean => state === wanted;

  const lose = (reason: unknown): void => {
    if (!is("usable")) return;
    state = "lost";
    onLost(reason);
    void recover();
  };
  const recover = async (): Promise<void> => {
    while (is("lost")) {
      await pause(LOOK_AGAIN_MS, undefined, { ref: false });
      const isBack = await probeAndPay();
      if (!isBack || !is("lost")) continue;
      state = "usable";
      onBack();
    }
  };
  /** Without a limit in time: answers come in order, so this one's means that none is outstanding. */
  const probeAndPay = async (): Promise<boolean> => {
    try {
      await probe();
      while (!owed.isEmpty()) await owed.carryOut();
      return true;
    } catch {
      return false;
    }
  };

  return {
    async attempt(command, otherwise) {
      if (!is("usable")) return otherwise();
      try {
        return await withinTime(command(), commandTimeoutMs);
      } catch (error) {
        lose(error);
        return otherwise();
      }
    },
    lose,
    close() {
      state = "closed";
    },
  };
}

/** Rejects when the work takes longer; it goes on unheard. */
export function withinTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`no answer within ${limitMs} ms`));
    // A process that was busy meanwhile reads first what has arrived.
    const timer = setTimeout(() => setImmediate(giveUp), limitMs);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
