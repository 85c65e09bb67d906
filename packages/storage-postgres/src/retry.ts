import { setTimeout as wait } from "node:timers/promises";
import { isConflict, isLostConnection } from "./faults.ts";

/** A restarted server is back within a few seconds. */
const PAUSES_MS: readonly number[] = [20, 100, 300, 700, 1_500, 3_000];

/** Runs `work` again while it fails for a lost connection or another transaction, for about six seconds. */
export async function retry<T>(work: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      const pauseMs = PAUSES_MS[attempt];
      if (pauseMs === undefined || !(isLostConnection(error) || isConflict(error))) throw error;
      await wait(pauseMs);
    }
  }
}
