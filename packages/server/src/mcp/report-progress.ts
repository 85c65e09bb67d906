import type { ServerContext } from "@modelcontextprotocol/server";

/** Well under the minute after which clients give up on a call that says nothing. */
const PROGRESS_PAUSE_MS = 5000;

/**
 * Tells a client that asked for it, at once and then every few seconds, that the work goes on; many
 * then wait for as long as it takes.
 */
export async function reportProgress<T>({ mcpReq }: ServerContext, work: () => Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  const startedAtMs = performance.now();
  const report = (): void => {
    const progress = Math.round((performance.now() - startedAtMs) / 1000);
    const params = { progressToken, progress, message: "waiting for the page" };
    // A client that has gone needs no report.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  report();
  const timer = setInterval(report, PROGRESS_PAUSE_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
