/**
 * Calls `work` with every item, for at most `concurrency` items at the same time. Rejects when the first call rejects;
 * `work` must then also reject for the others.
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
