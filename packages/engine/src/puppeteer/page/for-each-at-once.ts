/**
 * Calls `work` with every item, for at most `atOnce` items concurrently. Rejects as soon as one call rejects; `work`
 * must then also reject for the others.
 */
export async function forEachAtOnce<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const takeTurns = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
}
