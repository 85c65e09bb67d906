/**
 * Calls `work` with every item, with at most `atOnce` of them at a time. Rejects as soon as one rejects; `work` must then
 * reject for the others, too.
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
