import { DAY_MS, OVERLAP_MAX_MS, parseTokenId as tokenIdOf } from "@snap/engine/internals";
import { InvalidArgumentError } from "commander";
import { EXPIRY_MAX_SECONDS } from "../admin/inputs.ts";
import { readDuration } from "../config/duration.ts";

/** A number or `none`; commander treats `null` specially. */
export type NumberOrNone = number | "none";

/** @throws InvalidArgumentError for an empty string, such as an unset shell variable. */
export function parseFilter(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must not be empty.");
}

/** @throws InvalidArgumentError unless the text is a whole number. */
export function parseWholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

/** @throws InvalidArgumentError unless the text is a whole number or `none`. */
export function parseOverride(text: string): NumberOrNone {
  if (text === "none") return text;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number or "none".');
}

/** @throws InvalidArgumentError unless the text has the form of a token id. */
export function parseTokenId(text: string): number {
  const id = tokenIdOf(text);
  if (id === null) throw new InvalidArgumentError("It must be the number before the pipe in a token.");
  return id;
}

/**
 * Parses `45s`, `30m`, `12h` or `30d` into milliseconds; returns `none` as is.
 *
 * @throws InvalidArgumentError with the valid values.
 */
export function parseDuration(text: string): NumberOrNone {
  return parseUpTo(EXPIRY_MAX_SECONDS * 1000, text);
}

/** Like `parseDuration`, for the overlap of a rotation. */
export function parseOverlap(text: string): NumberOrNone {
  return parseUpTo(OVERLAP_MAX_MS, text);
}

function parseUpTo(maxMs: number, text: string): NumberOrNone {
  if (text === "none") return text;
  const durationMs = readDuration(text) ?? 0;
  if (durationMs > 0 && durationMs <= maxMs) return durationMs;
  throw new InvalidArgumentError(
    `It must be a duration such as 45s, 30m, 12h or 30d, at most ${maxMs / DAY_MS}d, or "none".`,
  );
}

export function toNullable(value: NumberOrNone): number | null {
  return value === "none" ? null : value;
}
