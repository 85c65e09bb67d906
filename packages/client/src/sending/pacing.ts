/** How time passes for a client: replaced in tests that must not wait. */
export interface Pacing {
  /** Milliseconds since 1970. */
  now(): number;
  /** At least 0, less than 1. */
  random(): number;
  /** Resolves after the time, or rejects with the signal's reason. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export const realPacing: Pacing = {
  now: () => Date.now(),
  random: () => Math.random(),
  async sleep(durationMs, signal) {
    signal?.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const timer = setTimeout(resolve, durationMs);
    signal?.addEventListener("abort", resolve);
    await promise;
    clearTimeout(timer);
    signal?.removeEventListener("abort", resolve);
    signal?.throwIfAborted();
  },
};
