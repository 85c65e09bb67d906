import type { TestAccount } from "./test-accounts.ts";
import type { World } from "./world.ts";

const WINDOW_MS = 60_000;
/** Longest time between reading the clock and the call's effect. */
const LATENCY_MS = 100;

/**
 * Checks that no account exceeds its rate limit. Windows do not overlap, so with a limit of n, a
 * whole window lies between a render and the 2n-th after it. Differing clocks can shorten it.
 */
export function checkLimits(world: World, { accountId, maxRequestsPerMinute }: TestAccount): void {
  const { conditions, history } = world;
  if (conditions.hasWildClocks) return;
  const allowed = history.allowedRenders.filter((render) => render.accountId === accountId);
  if (allowed.some(({ isLocal }) => isLocal)) return;
  const shortestMs = WINDOW_MS - 2 * conditions.clockBoundMs - LATENCY_MS;
  for (const [index, { at }] of allowed.entries()) {
    const later = allowed[index + 2 * maxRequestsPerMinute];
    if (later !== undefined && later.at - at < shortestMs)
      world.reportViolation("an account exceeds its rate limit", accountId);
  }
}
