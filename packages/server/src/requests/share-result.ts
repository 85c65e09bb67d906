/** How long a result is reused. */
const RESULT_REUSE_MS = 1_000;

/** Returns a function that calls `work`, unless a call is pending or its result is less than `RESULT_REUSE_MS` old. */
export function shareResult<T>(work: () => Promise<T>): () => Promise<T> {
  let shared: Promise<T> | null = null;
  return () => {
    shared ??= work().finally(() => void setTimeout(() => (shared = null), RESULT_REUSE_MS).unref());
    return shared;
  };
}
