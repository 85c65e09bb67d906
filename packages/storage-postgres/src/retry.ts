import { setTimeout as wait } from "node:timers/promises";
import { isConflict, isLostConnection } from "./faults.ts";

/** A restarted server is back within a few seconds. */
const PAUSES_MS: readonly number[] = [20, 100, 300, 700, 1_500, 3_000];

/** Limits the total time, because each attempt on a server that accepts connections but does not respond takes seconds. */
const RETRY_MAX_MS = 6_000;

/** Retries `work` for about six seconds after a lost connection or a conflict with another transaction. */
export async function retry<T>(work: (attempt: number) => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      const pauseMs = PAUSES_MS[attempt];
      const isOver = pauseMs === undefined || performance.now() - startedAtMs >= RETRY_MAX_MS;
      if (isOver || !(isLostConnection(error) || isConflict(error))) throw error;
      await wait(pauseMs);
    }
  }
}
