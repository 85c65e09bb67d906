import { withTimeout } from "../../../timeouts.ts";

/** Returns what `work` resolves with, or `otherwise` if the page takes longer than `durationMs`. */
export async function giveUpAfter<T>(
  limit: { readonly signal: AbortSignal; readonly durationMs: number; readonly otherwise: T },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timedOut = new Error("the page took too long");
  try {
    return await withTimeout({ ...limit, reason: () => timedOut }, work);
  } catch (error) {
    if (error === timedOut) return limit.otherwise;
    throw error;
  }
}
