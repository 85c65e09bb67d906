import { InvalidArgumentError } from "commander";
import { readDuration } from "../config/duration.ts";
import type { Optional } from "./numbers.ts";

const MAX_DAYS = 3650;

/**
 * Reads `45s`, `30m`, `12h` or `30d`, in milliseconds, or `none`.
 *
 * @throws InvalidArgumentError that says what would do.
 */
export function parseDuration(text: string): Optional {
  if (text === "none") return text;
  const durationMs = readDuration(text) ?? 0;
  if (durationMs > 0 && durationMs <= MAX_DAYS * 86_400_000) return durationMs;
  throw new InvalidArgumentError(
    `It must be a duration such as 45s, 30m, 12h or 30d, at most ${MAX_DAYS}d, or none.`,
  );
}
