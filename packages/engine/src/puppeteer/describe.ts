import { ProtocolError } from "puppeteer";
import { messageOf } from "../errors.ts";

const TEXT_LENGTH_MAX = 200;

/** Makes untrusted text safe for a log line or terminal: well-formed, short and without control characters. */
export function plainText(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const short = plain.length > TEXT_LENGTH_MAX ? `${plain.slice(0, TEXT_LENGTH_MAX)}…` : plain;
  return short.toWellFormed();
}

/**
 * Describes an error to the operator without secrets. Of a URL, Node's messages contain at most the host and port. A
 * browser's error is reduced to the failed command, because its text may repeat the command's URL.
 */
export function describe(error: unknown): string {
  if (error instanceof ProtocolError) return describeProtocolError(error);
  return plainText(messageOf(error));
}

function describeProtocolError({ message }: ProtocolError): string {
  const [, command = "a command"] = /^Protocol error \(([\w.]{1,80})\)/.exec(message) ?? [];
  return `${command} failed`;
}

const VERSION = /^(Headless)?(Chrome|Chromium|Edg|Edge|Brave|Opera|OPR)\/\d[\d.]{0,31}/;

/**
 * Returns only the name and version of the product that a browser reports; `unknown browser` if it
 * is not a known one.
 */
export function readProduct(product: unknown): string {
  const [nameAndVersion = "unknown browser"] = VERSION.exec(String(product)) ?? [];
  return nameAndVersion;
}
