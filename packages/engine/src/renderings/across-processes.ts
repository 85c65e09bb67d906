import type { Clock } from "../ports/clock.ts";
import type { FlightStore } from "../ports/flights.ts";
import type { Random } from "../ports/random.ts";

/** A process that was lost holds up those who wait for it for no longer. */
const LEASE_MS = 6_000;
/** A lease survives two renewals that were lost. */
const RENEWALS_PER_LEASE = 3;
const LINGER_MS = 1_000;
/** Of a page that fails for one process after the other, the last would wait for all of them. */
const LONGEST_WAIT_MS = 60_000;
/** Until the next look whether another process has finished. */
const LOOK_AGAIN_MS = 50;

export interface AcrossProcesses {
  /** `null` where one process alone uses the storage. */
  readonly flights: FlightStore | null;
  readonly clock: Clock;
  readonly random: Random;
  readonly onBackgroundError: (error: unknown) => void;
}

/** What is wanted, and how to come by it. */
export interface Wanted<Found, Made> {
  readonly name: string;
  /** Looks whether it is there by now; `null` when it isn't. */
  readonly find: () => Promise<Found | null>;
  /** Makes it, so that `find` finds it from then on. */
  readonly make: () => Promise<Made>;
}

/**
 * Finds what is wanted or makes it, unless another process is making it: that one is waited for, a
 * minute at most. Its failure is its own: the next one to look then tries for itself.
 */
export async function findOrMake<Found, Made>(
  { flights, clock, random, onBackgroundError }: AcrossProcesses,
  { name, find, make }: Wanted<Found, Made>,
): Promise<{ readonly value: Found | Made; readonly waited: boolean }> {
  const first = await find();
  if (first !== null) return { value: first, waited: false };
  if (flights === null) return { value: await make(), waited: false };

  const claim = { name, holder: Buffer.from(random.bytes(16)).toString("hex") };
  const waitsUntil = clock.now() + LONGEST_WAIT_MS;
  while (!(await flights.take({ ...claim, leaseMs: LEASE_MS }))) {
    if (clock.now() >= waitsUntil) return { value: await make(), waited: true };
    await new Promise<void>((resolve) => void clock.after(LOOK_AGAIN_MS, resolve));
    const found = await find();
    if (found !== null) return { value: found, waited: true };
  }
  let callOff = (): void => {};
  const renew = (): void => {
    flights.take({ ...claim, leaseMs: LEASE_MS }).catch(onBackgroundError);
    callOff = clock.after(LEASE_MS / RENEWALS_PER_LEASE, renew);
  };
  callOff = clock.after(LEASE_MS / RENEWALS_PER_LEASE, renew);
  let lingerMs = 0;
  try {
    const value = await make();
    lingerMs = LINGER_MS;
    return { value, waited: false };
  } finally {
    callOff();
    flights.end({ ...claim, lingerMs }).catch(onBackgroundError);
  }
}
