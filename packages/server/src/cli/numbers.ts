import { InvalidArgumentError } from "commander";

/** A number, or that there is none; commander makes something else of `null`. */
export type Optional = number | "none";

/** @throws InvalidArgumentError unless the text is a whole number. */
export function parseWholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

/** @throws InvalidArgumentError unless the text is a whole number or `none`. */
export function parseOverride(text: string): Optional {
  if (text === "none") return text;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number, or none.");
}

/** @throws InvalidArgumentError unless the text is the id of a token. */
export function parseTokenId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be the number that stands before the pipe of a token.");
}

export function toNullable(value: Optional): number | null {
  return value === "none" ? null : value;
}
