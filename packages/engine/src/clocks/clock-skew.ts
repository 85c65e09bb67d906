/** The difference between the clocks of this machine and of a server of the storage. */
export interface ClockSkew {
  /** Name of the server, such as `PostgreSQL`. */
  readonly server: string;
  /** Lower bound of the difference in milliseconds: positive if this machine is ahead, negative if it is behind. */
  readonly skewMs: number;
}

const NOTICEABLE_MS = 500;
const EXCESSIVE_MS = 2_000;

/** Returns whether to warn the operator. */
export function isNoticeableSkew({ skewMs }: ClockSkew): boolean {
  return Math.abs(skewMs) > NOTICEABLE_MS;
}

/** Returns whether this machine is not ready. A smaller skew ends no lease early: 20 s long, they are renewed every 5 s. */
export function isExcessiveSkew({ skewMs }: ClockSkew): boolean {
  return Math.abs(skewMs) > EXCESSIVE_MS;
}

/**
 * Describes a difference for the log.
 *
 * @example
 * describeSkew({ server: "PostgreSQL", skewMs: -3200 }); // "the clock of this machine is 3.2 s behind that of PostgreSQL"
 */
export function describeSkew({ server, skewMs }: ClockSkew): string {
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
  return `the clock of this machine is ${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} that of ${server}`;
}
