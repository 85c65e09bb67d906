/**
 * Calls `work` with every item, for at most `concurrency` items at the same time. Rejects as soon as one call rejects.
 * The calls that are still running then continue with the remaining items.
 */
export async function forEachConcurrently<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const workThrough = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, workThrough));
}
