/** Rejects when the work takes longer; it goes on unheard. */
export function withinTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`no answer within ${limitMs} ms`));
    // A process that was busy meanwhile reads first what has arrived.
    const timer = setTimeout(() => setImmediate(giveUp), limitMs);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
