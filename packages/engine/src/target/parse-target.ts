import { parseTargetUrl } from "@snap/protocol";
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

/**
 * Reads an absolute `http` or `https` address; `null` for every other text, and for one that two
 * parsers could read differently.
 */
export function parseTarget(text: string): Target | null {
  const url = parseTargetUrl(text);
  if (url === null) return null;
  const { protocol, hostname, host, port, username, password } = url;
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
