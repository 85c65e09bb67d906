import { setTimeout as wait } from "node:timers/promises";

/** Lets other processes, and other work of this one, get the write lock. */
const PAUSE_MS = 1;

/** Repeats `deleteSome`, one transaction each, until it returns 0; returns the sum. */
export async function inChunks(deleteSome: () => number | Promise<number>): Promise<number> {
  for (let sum = 0; ;) {
    const deleted = await deleteSome();
    if (deleted === 0) return sum;
    sum += deleted;
    await wait(PAUSE_MS);
  }
}
