/** The difference between this machine's clock and the clock of one of the storage's servers. */
export interface ClockSkew {
  /** Name of the server, such as `PostgreSQL`. */
  readonly server: string;
  /** Lower bound of the difference in milliseconds: positive if this machine is ahead, negative if it is behind. */
  readonly skewMs: number;
}

const NOTICEABLE_MS = 500;
const EXCESSIVE_MS = 2_000;

/** Returns whether the operator should be warned. */
export function isNoticeableSkew({ skewMs }: ClockSkew): boolean {
  return Math.abs(skewMs) > NOTICEABLE_MS;
}

/**
 * Returns whether the skew makes this machine not ready. With smaller skew, item leases don't expire
 * early: by default, they last 20 s and are renewed every 5 s.
 */
export function isExcessiveSkew({ skewMs }: ClockSkew): boolean {
  return Math.abs(skewMs) > EXCESSIVE_MS;
}

/**
 * Describes a skew for the log.
 *
 * @example
 * describeSkew({ server: "PostgreSQL", skewMs: -3200 }); // "this machine's clock is 3.2 s behind PostgreSQL's"
 */
export function describeSkew({ server, skewMs }: ClockSkew): string {
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
  return `this machine's clock is ${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} ${server}'s`;
}
