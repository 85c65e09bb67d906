import { setTimeout as wait } from "node:timers/promises";
import { isConflict, isLostConnection } from "./faults.ts";

/** A restarted server is back within a few seconds. */
const PAUSES_MS: readonly number[] = [20, 100, 300, 700, 1_500, 3_000];

/** A server that accepts connections but does not respond costs a timeout for each attempt, so there are few. */
const GIVE_UP_MS = 6_000;

/** Runs `work` again while it fails because of a lost connection or another transaction, for about six seconds. */
export async function retry<T>(work: (attempt: number) => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      const pauseMs = PAUSES_MS[attempt];
      const isOver = pauseMs === undefined || performance.now() - startedAtMs >= GIVE_UP_MS;
      if (isOver || !(isLostConnection(error) || isConflict(error))) throw error;
      await wait(pauseMs);
    }
  }
}
