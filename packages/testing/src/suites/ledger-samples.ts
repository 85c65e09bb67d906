import type { Balance, Period, ReserveRequest } from "@snap/engine/ports";

export const MARCH: Period = { startedAt: 1_772_323_200_000, resetsAt: 1_775_001_600_000 };
export const APRIL: Period = { startedAt: 1_775_001_600_000, resetsAt: 1_777_593_600_000 };
export const NOW = MARCH.startedAt + 1000;
export const LAPSES_AT = NOW + 120_000;

/** The first balance request in March, with a grant of ten credits. */
export const REQUEST = { accountId: "acct_1", period: MARCH, granted: 10, now: NOW };
export const NEXT_REQUEST = { ...REQUEST, period: APRIL, now: APRIL.startedAt };

export function reservation(reservationId: string, change: Partial<ReserveRequest> = {}): ReserveRequest {
  return { ...REQUEST, reservationId, lapsesAt: LAPSES_AT, ...change };
}

export function balance(granted: number, used: number, reserved: number): Balance {
  return { granted, used, reserved };
}
