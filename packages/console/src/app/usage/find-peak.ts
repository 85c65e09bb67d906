import type { AdminUsage } from "@snap/protocol";

export interface Day {
  readonly day: string;
  readonly usage: AdminUsage | undefined;
}

export interface Peak {
  readonly day: string;
  readonly figure: number;
}

/** Returns the first day with the largest figure; `null` if no figure is above zero. */
export function findPeak(days: readonly Day[], figureOf: (usage: AdminUsage) => number): Peak | null {
  let peak: Peak | null = null;
  for (const { day, usage } of days) {
    const figure = usage === undefined ? 0 : figureOf(usage);
    if (figure > (peak?.figure ?? 0)) peak = { day, figure };
  }
  return peak;
}
