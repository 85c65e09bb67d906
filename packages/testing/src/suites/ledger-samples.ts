import type { Balance, Period, ReserveRequest } from "@snap/engine/ports";

export const MARCH: Period = { startedAt: 1_772_323_200_000, resetsAt: 1_775_001_600_000 };
export const APRIL: Period = { startedAt: 1_775_001_600_000, resetsAt: 1_777_593_600_000 };
export const NOW = MARCH.startedAt + 1000;
export const LAPSES_AT = NOW + 120_000;

/** The first look at March by an account that is granted ten credits. */
export const LOOK = { accountId: "acct_1", period: MARCH, granted: 10, now: NOW };
export const NEXT_LOOK = { ...LOOK, period: APRIL, now: APRIL.startedAt };

export function reservation(reservationId: string, change: Partial<ReserveRequest> = {}): ReserveRequest {
  return { ...LOOK, reservationId, lapsesAt: LAPSES_AT, ...change };
}

export function balance(granted: number, used: number, reserved: number): Balance {
  return { granted, used, reserved };
}
