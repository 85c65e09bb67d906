import { isTooLongUrl, parseTargetUrl } from "@snap/protocol";
import { isIP } from "node:net";
import { domainToUnicode } from "node:url";
import { isPublic, parseAddress } from "./addresses.ts";
import {
  allowsAddress,
  allowsName,
  allowsSomeAddress,
  isOwnAddress,
  isBlocked,
  isWebPort,
  type TargetPolicy,
} from "./policy.ts";
import { isInDomain, normalizeHostname } from "./target-list.ts";

/** A URL's target. */
export interface Target {
  /** Normalized as by `normalizeHostname`. */
  readonly hostname: string;
  readonly port: number;
  /** Whether the scheme is https. */
  readonly isSecure: boolean;
  readonly hasCredentials: boolean;
  /** Value of the `Host` field (RFC 9112, 3.2.2). */
  readonly host: string;
}

/**
 * Parses an absolute `http` or `https` URL. Returns `null` for any other text, and for a URL that two parsers could
 * read differently.
 */
export function parseTarget(text: string): Target | null {
  const url = parseTargetUrl(text);
  if (url === null) return null;
  const { protocol, hostname, host, username, password } = url;
  if (hostname.split(".").some(isBrokenPunycode)) return null;
  return {
    hostname: normalizeHostname(hostname),
    port: portOf(url),
    isSecure: protocol === "https:",
    hasCredentials: username !== "" || password !== "",
    host,
  };
}

/** Returns the port of a URL, by default that of its scheme. */
export function portOf({ protocol, port }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" || protocol === "wss:" ? 443 : 80;
}

/** An invalid A-label (RFC 5891, 5.4), which Node's parser accepts and browsers reject. */
function isBrokenPunycode(label: string): boolean {
  return label.startsWith("xn--") && (domainToUnicode(label) || label).startsWith("xn--");
}

/** Domains without public hosts; each includes its subdomains. */
const PRIVATE_DOMAINS = [
  "localhost", // RFC 6761, 6.3
  "localdomain", // the usual alias of localhost in hosts files
  "local", // multicast DNS: RFC 6762, 3; includes cluster.local
  "internal", // reserved by ICANN, 2024-07-29; includes metadata.google.internal and docker.internal
  "intranet", // used on private networks, like the next four: RFC 6762, appendix G
  "private",
  "corp",
  "home",
  "lan",
  "mail", // will never be delegated, like corp and home: ICANN, 2018-02-04
  "svc", // Kubernetes services, with the cluster's search domains
  "arpa", // infrastructure, no hosts: RFC 3172; includes home.arpa (RFC 8375) and in-addr.arpa
  "metadata.goog", // cloud metadata services with public names, like the next four
  "metadata.tencentyun.com",
  "metadata.platformequinix.com",
  "metadata.packet.net",
  "metadata.cloud.ibm.com",
];

/**
 * Returns whether a normalized host name can belong to a public page. A name without a dot cannot, because the
 * machine's search domains complete it (IAB, Dotless Domains Considered Harmful, 2013).
 */
export function isPublicName(hostname: string): boolean {
  return hostname.includes(".") && !PRIVATE_DOMAINS.some((domain) => isInDomain(hostname, domain));
}

interface AddressCheck {
  /** Textual address to connect to. */
  readonly address: string;
  /** The normalized host name that resolved to it, or the address itself if there is no name. */
  readonly hostname: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}

/**
 * Checks an address before a connection. It is allowed if it is public, has a web port and belongs neither to this
 * machine nor to this service, or if the allowlist contains it or its host name. It is never allowed if the policy
 * blocks it.
 */
export function checkAddress({ address: text, hostname, port, policy }: AddressCheck): "ok" | "blocked" {
  const address = parseAddress(text);
  const check = { hostname, address, port, policy };
  if (isBlocked(check)) return "blocked";
  if (allowsName(check) || allowsAddress(check)) return "ok";
  if (address === null || !isWebPort(port)) return "blocked";
  return isPublic(address) && !isOwnAddress(address, policy) ? "ok" : "blocked";
}

/**
 * Returns whether a textual address is publicly reachable; `false` for text that is not an address.
 *
 * @example
 * isPublicAddress("8.8.8.8"); // true
 * isPublicAddress("::ffff:10.0.0.1"); // false
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && isPublic(parsed);
}

interface HostCheck {
  /** A normalized host name, or a textual address. */
  readonly hostname: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}

/** Checks a host and a port before name resolution; `checkAddress` checks the resolved addresses. */
export function checkHost(target: HostCheck): "ok" | "blocked" {
  const { hostname, port, policy } = target;
  if (isIP(hostname) !== 0) return checkAddress({ ...target, address: hostname });
  if (isBlocked({ ...target, address: null })) return "blocked";
  if (allowsName(target)) return "ok";
  const isOwn = policy.ownHostnames?.some((own) => normalizeHostname(own) === hostname) === true;
  if (isOwn || !isPublicName(hostname)) return "blocked";
  return isWebPort(port) || allowsSomeAddress(policy, port) ? "ok" : "blocked";
}

/** Result of checking a URL before name resolution. `ok`: an allowed address, or a name to resolve. */
export type TargetVerdict = "ok" | "malformed" | "credentials" | "blocked";

/**
 * Checks a URL without name resolution.
 *
 * @example
 * classifyTarget("https://example.com/", PUBLIC_TARGETS_ONLY); // "ok"
 * classifyTarget("http://0x7f.1/", PUBLIC_TARGETS_ONLY); // "blocked"
 */
export function classifyTarget(url: string, policy: TargetPolicy): TargetVerdict {
  const target = parseTarget(url);
  if (target === null) return "malformed";
  if (checkHost({ ...target, policy }) === "blocked") return "blocked";
  return target.hasCredentials ? "credentials" : "ok";
}

/** Result of checking a URL that a caller sends. */
export type SentVerdict = TargetVerdict | "tooLong";

/** Checks a URL that a caller sends, whose length is limited, without name resolution. */
export function classifySentUrl(url: string, policy: TargetPolicy): SentVerdict {
  return isTooLongUrl(url) ? "tooLong" : classifyTarget(url, policy);
}
