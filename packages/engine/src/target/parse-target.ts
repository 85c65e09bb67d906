import { domainToUnicode } from "node:url";
import { normalizeHostname } from "./hostname.ts";

/** Where an address leads. */
export interface Target {
  /** Normalized: lower case, IDNA resolved, no brackets, no trailing dot. */
  readonly hostname: string;
  readonly port: number;
  readonly hasCredentials: boolean;
  /** Value of the `Host` field (RFC 9112, 3.2.2). */
  readonly host: string;
}

// What the WHATWG parser drops or rewrites, and others read otherwise: control characters, space, backslash
// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const AMBIGUOUS = /[\u0000-\u0020\\\u007f-\u009f]/;

/**
 * Reads an absolute `http` or `https` address; `null` for every other text, and for one that two
 * parsers could read differently.
 */
export function parseTarget(text: string): Target | null {
  if (!/^https?:\/\//i.test(text) || AMBIGUOUS.test(text) || !URL.canParse(text)) return null;
  const { protocol, hostname, host, port, username, password } = new URL(text);
  if (hostname.split(".").some(isBrokenPunycode)) return null;
  return {
    hostname: normalizeHostname(hostname),
    port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
    hasCredentials: username !== "" || password !== "",
    host,
  };
}

/** An A-label that stands for nothing (RFC 5891, 5.4); Node's parser lets it pass, browsers don't. */
function isBrokenPunycode(label: string): boolean {
  return label.startsWith("xn--") && (domainToUnicode(label) || label).startsWith("xn--");
}
