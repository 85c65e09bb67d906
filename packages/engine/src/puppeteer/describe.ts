import { ProtocolError } from "puppeteer";

const TEXT_LENGTH_MAX = 200;

/**
 * Text of somebody else's, fit for a line of a log or a terminal: bounded, and without characters that
 * steer one.
 */
export function plainText(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return plain.length > TEXT_LENGTH_MAX ? `${plain.slice(0, TEXT_LENGTH_MAX)}…` : plain;
}

/**
 * An error for the operator. Node names address and port at the most, never a path or query; of an error
 * that a browser answered only our command is told: its text may repeat what it was sent.
 */
export function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === "")
    return error.errors.map((each) => describe(each)).join("; ");
  if (error instanceof ProtocolError) return describeProtocolError(error);
  return plainText(error instanceof Error ? error.message : String(error));
}

function describeProtocolError({ message }: ProtocolError): string {
  const [, command = "a command"] = /^Protocol error \(([\w.]{1,80})\)/.exec(message) ?? [];
  return `${command} failed`;
}

const VERSION = /^(Headless)?(Chrome|Chromium|Edg|Edge|Brave|Opera|OPR)\/\d[\d.]{0,31}/;

/** What a browser calls itself, as far as it is a browser's name and version. */
export function readProduct(product: unknown): string {
  const [known = "unknown browser"] = VERSION.exec(String(product)) ?? [];
  return known;
}
