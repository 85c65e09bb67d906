import type { Clock, ServerClock } from "../ports/clock.ts";
import { isNoticeableSkew, type ClockSkew } from "./clock-skew.ts";

const MEASURE_INTERVAL_MS = 60_000;

export interface ClockWatch {
  /** Resolves after the first measurement. */
  readonly measured: Promise<void>;
  /** Returns the latest measurements, without those of servers that did not respond. */
  skews(): readonly ClockSkew[];
  stop(): void;
}

/** Compares this machine's clock with those of the storage's servers, now and every minute. */
export function watchClocks(options: {
  readonly clock: Clock;
  readonly servers: readonly ServerClock[];
  /** Called after each measurement for each server whose clock differs noticeably. */
  readonly onClockSkew: (skew: ClockSkew) => void;
}): ClockWatch {
  const { clock, servers, onClockSkew } = options;
  let skews: readonly ClockSkew[] = [];
  let isStopped = false;
  let cancel = (): void => {};

  const measureAll = async (): Promise<void> => {
    const measurements = await Promise.all(servers.map((server) => measureSkew(clock, server)));
    skews = measurements.filter((skew) => skew !== null);
    if (isStopped) return;
    cancel = clock.after(MEASURE_INTERVAL_MS, () => void measureAll());
    for (const skew of skews.filter(isNoticeableSkew)) onClockSkew(skew);
  };
  return {
    measured: servers.length === 0 ? Promise.resolve() : measureAll(),
    skews: () => skews,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

/**
 * Returns the smallest possible difference, because the server read its clock at an unknown instant between request and
 * response; so a slow response is not reported as skew. Returns `null` if the server is unavailable.
 */
async function measureSkew(clock: Clock, server: ServerClock): Promise<ClockSkew | null> {
  const sentAt = clock.now();
  const time = await server.now().catch(() => null);
  if (time === null) return null;
  const receivedAt = clock.now();
  return { server: server.name, skewMs: Math.max(sentAt - time, Math.min(receivedAt - time, 0)) };
}
