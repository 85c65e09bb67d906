import { InvalidArgumentError } from "commander";
import type { Optional } from "./numbers.ts";

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_DAYS = 3650;

/**
 * Reads `45s`, `30m`, `12h` or `30d`, in milliseconds, or `none`.
 *
 * @throws InvalidArgumentError that says what would do.
 */
export function parseDuration(text: string): Optional {
  if (text === "none") return text;
  const [, digits = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const durationMs = Number(digits) * (UNIT_MS[unit] ?? 0);
  if (durationMs > 0 && durationMs <= MAX_DAYS * 86_400_000) return durationMs;
  throw new InvalidArgumentError(
    `It must be a duration such as 45s, 30m, 12h or 30d, at most ${MAX_DAYS}d, or none.`,
  );
}
