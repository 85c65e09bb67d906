import type { Eviction } from "@snap/engine/ports";
import type { Logger } from "pino";
import type { Metrics } from "./metrics/create-metrics.ts";

/** Minimum interval between log lines about evictions with the same reason. */
const REPORT_INTERVAL_MS = 60_000;

interface Sum {
  readonly accounts: Set<string>;
  renderings: number;
  bytes: number;
}

/**
 * Returns a storage callback that counts evicted renderings, and logs them: the first immediately, later ones together
 * once a minute.
 */
export function watchCache({
  logger,
  metrics,
}: {
  readonly logger: Logger;
  readonly metrics: Metrics | false;
}): (eviction: Eviction) => void {
  const sums = new Map<Eviction["reason"], Sum>();
  const report = (reason: Eviction["reason"], { accounts, renderings, bytes }: Sum): void => {
    const facts = { reason, renderings, bytes, accounts: accounts.size };
    if (reason === "quota") logger.info(facts, "renderings evicted: the cache is full");
    else logger.warn(facts, "renderings evicted: the disk or Redis's memory is nearly full");
    sums.set(reason, newSum());
    const next = setTimeout(() => {
      const sum = sums.get(reason) ?? newSum();
      sums.delete(reason);
      if (sum.renderings > 0) report(reason, sum);
    }, REPORT_INTERVAL_MS);
    next.unref();
  };
  return (eviction) => {
    if (metrics) metrics.countEviction(eviction);
    const pending = sums.get(eviction.reason);
    const sum = pending ?? newSum();
    sum.accounts.add(eviction.accountId);
    sum.renderings += eviction.renderings;
    sum.bytes += eviction.bytes;
    if (pending === undefined) report(eviction.reason, sum);
  };
}

function newSum(): Sum {
  return { accounts: new Set(), renderings: 0, bytes: 0 };
}
