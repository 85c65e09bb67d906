import { parseTargetUrl } from "@snap/protocol";
import { isIP } from "node:net";
import { domainToUnicode } from "node:url";
import {
  type Address,
  embeddedIpv4,
  GLOBAL_UNICAST,
  isInBlock,
  NAT64,
  parseAddress,
  SPECIAL_IPV4_BLOCKS,
  SPECIAL_IPV6_BLOCKS,
} from "./addresses.ts";
import {
  allowsAddress,
  allowsName,
  allowsSomeAddress,
  isClosed,
  isWebPort,
  normalizeHostname,
  type TargetPolicy,
} from "./policy.ts";

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

/** Domains under which nothing is public; each covers itself and everything below it. */
const PRIVATE_DOMAINS: ReadonlySet<string> = new Set([
  "localhost", // RFC 6761, 6.3
  "localdomain", // the usual alias of the loopback in hosts files
  "local", // multicast DNS: RFC 6762, 3; cluster.local with it
  "internal", // reserved by ICANN, 2024-07-29; metadata.google.internal and docker.internal with it
  "intranet", // used in private networks: RFC 6762, appendix G, as the next four
  "private",
  "corp",
  "home",
  "lan",
  "mail", // never to be delegated, like corp and home: ICANN, 2018-02-04
  "svc", // services of Kubernetes, as its search path completes them
  "arpa", // infrastructure, no hosts: RFC 3172; home.arpa (RFC 8375) and in-addr.arpa with it
  "metadata.goog", // metadata of the clouds under public names
  "metadata.tencentyun.com",
  "metadata.platformequinix.com",
  "metadata.packet.net",
  "metadata.cloud.ibm.com",
]);

/**
 * Whether a normalized host name can belong to a public page, as far as the name tells. A name without
 * a dot can't: the machine's search path completes it (IAB, Dotless Domains Considered Harmful, 2013).
 */
export function isPublicName(hostname: string): boolean {
  if (!hostname.includes(".")) return false;
  const labels = hostname.split(".");
  return !labels.some((_, index) => PRIVATE_DOMAINS.has(labels.slice(index).join(".")));
}

interface AddressQuestion {
  /** Textual address about to be connected to. */
  readonly address: string;
  /** The normalized host name that led to it; the address itself when there was no name. */
  readonly hostname: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}

/**
 * Whether `address` may be connected to: it is public, its port is one of the web, and it isn't our
 * own; or the policy makes an exception for it or for the name that led to it.
 */
export function checkAddress({ address, hostname, port, policy }: AddressQuestion): "ok" | "blocked" {
  if (isClosed({ host: address, port, policy })) return "blocked";
  if (allowsName({ hostname, port, policy }) || allowsAddress({ address, port, policy })) return "ok";
  return isWebPort(port) && isPublicAddress(address) && !isOwnAddress(address, policy) ? "ok" : "blocked";
}

/**
 * Whether a textual address is one that anybody can reach. What is no plain address is not public.
 *
 * @example
 * isPublicAddress("8.8.8.8"); // true
 * isPublicAddress("::ffff:10.0.0.1"); // false
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed === null) return false;
  return parsed.bits === 32 ? isPublicIpv4(parsed) : isPublicIpv6(parsed);
}

function isPublicIpv4(address: Address): boolean {
  return !SPECIAL_IPV4_BLOCKS.some((block) => isInBlock(address, block));
}

function isPublicIpv6(address: Address): boolean {
  // RFC 6052 3.1: never to stand for an IPv4 address that isn't global; what stands inside decides
  if (isInBlock(address, NAT64)) return isPublicIpv4({ bits: 32, value: embeddedIpv4(address.value) });
  if (!isInBlock(address, GLOBAL_UNICAST) || isIsatap(address)) return false;
  return !SPECIAL_IPV6_BLOCKS.some((block) => isInBlock(address, block));
}

/** Interface identifier ::5efe:a.b.c.d with any universal and group bit: RFC 5214, 6.1. */
function isIsatap({ value }: Address): boolean {
  return ((value >> 32n) & 0xfcff_ffffn) === 0x0000_5efen;
}

function isOwnAddress(address: string, { ownHostnames }: TargetPolicy): boolean {
  if (ownHostnames.length === 0) return false;
  const asked = parseAddress(address);
  return ownHostnames.map(normalizeHostname).some((own) => {
    const parsed = parseAddress(own);
    return parsed !== null && parsed.bits === asked?.bits && parsed.value === asked.value;
  });
}

interface HostQuestion {
  /** A normalized host name, or a textual address. */
  readonly hostname: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}

/** Judges a host and a port before any look-up; what a name resolves to is judged by `judgeAddress`. */
export function checkHost(question: HostQuestion): "ok" | "blocked" {
  const { hostname, port, policy } = question;
  if (isIP(hostname) !== 0) return checkAddress({ ...question, address: hostname });
  if (isClosed({ host: hostname, port, policy })) return "blocked";
  if (allowsName(question)) return "ok";
  const isOwn = policy.ownHostnames.some((own) => normalizeHostname(own) === hostname);
  if (isOwn || !isPublicName(hostname)) return "blocked";
  return isWebPort(port) || allowsSomeAddress(policy, port) ? "ok" : "blocked";
}

/**
 * What the form of an address tells, before any look-up.
 * `ok`: nothing in it speaks against a look-up (a public literal, or a name).
 */
export type TargetVerdict = "ok" | "malformed" | "credentials" | "blocked";

/**
 * Judges an address by its form alone (interface.md, `url`; docs/decisions/egress.md).
 *
 * @example
 * judgeTarget("https://example.com/", PUBLIC_TARGETS_ONLY); // "ok"
 * judgeTarget("http://0x7f.1/", PUBLIC_TARGETS_ONLY); // "blocked"
 */
export function classifyTarget(url: string, policy: TargetPolicy): TargetVerdict {
  const target = parseTarget(url);
  if (target === null) return "malformed";
  if (checkHost({ ...target, policy }) === "blocked") return "blocked";
  return target.hasCredentials ? "credentials" : "ok";
}
