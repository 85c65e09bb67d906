import type { ClockSkew } from "@snap/engine";
import { DAY_MS, describeSkew, isExcessiveSkew, isNoticeableSkew } from "@snap/engine/internals";
import type { CacheStats } from "@snap/engine/ports";
import { formatBytes, formatInstant } from "../format.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

/*
 * Findings about the state of a service, for `doctor` and for the admin API.
 */

const BACKUP_MAX_AGE_DAYS = 7;

/** Reports how full the cache is, and what is wrong with its storage. */
export function describeCache(stats: CacheStats | null): readonly Finding[] {
  if (stats === null) return [];
  const { bytes, maxBytes, freeBytes, warnings } = stats;
  const quota = maxBytes === null ? "" : ` of at most ${formatBytes(maxBytes)}`;
  const free = freeBytes === null ? "" : `, ${formatBytes(freeBytes)} free`;
  return [
    ok("cache", `renderings use ${formatBytes(bytes)}${quota}${free}`),
    ...warnings.map(({ code, message, advice }) => warning(code, message, advice)),
  ];
}

/** Compares the clock of this machine with those of the servers that responded. */
export function describeClocks(skews: readonly ClockSkew[]): readonly Finding[] {
  const noticeable = skews.filter(isNoticeableSkew);
  if (noticeable.length === 0)
    return skews.length === 0
      ? []
      : [ok("clock", `agrees with ${skews.map(({ server }) => server).join(" and ")}`)];
  const message = noticeable.map(describeSkew).join("; ");
  const advice = "synchronize the clocks of all machines: start chrony, or run timedatectl set-ntp true";
  return [
    noticeable.some(isExcessiveSkew)
      ? problem("clock_skewed", `${message}: beyond 2 s the service is not ready`, advice)
      : warning("clock_skewed", message, advice),
  ];
}

/** Reports when the last backup was made: `madeAt`, or `null` before the first. */
export function describeBackup(madeAt: number | null, now: number): Finding {
  const advice = "run `snap-server backup FILE` every day, and store the file on another machine";
  if (madeAt === null) return warning("backup_missing", "there is no backup yet", advice);
  const message = `the last one was made on ${formatInstant(madeAt, "")}`;
  return now - madeAt > BACKUP_MAX_AGE_DAYS * DAY_MS
    ? warning("backup_old", `${message}, more than ${BACKUP_MAX_AGE_DAYS} days ago`, advice)
    : ok("backup", message);
}
