import { domainToASCII } from "node:url";
import { type Address, type AddressBlock, isInBlock, parseBlock } from "./addresses.ts";

/**
 * An entry of an allowlist, a denylist or a proxy's `bypass` list: a host name or a CIDR block of addresses. A name
 * includes its subdomains, and an entry without a port covers every port, except in an allowlist: there, a name means
 * only itself, and an entry without a port covers ports 80, 443 and 1024 to 65535.
 */
export type ListedTarget =
  | { readonly kind: "name"; readonly hostname: string; readonly port: number | null }
  | {
      readonly kind: "cidr";
      readonly address: string;
      readonly prefixLength: number;
      readonly port: number | null;
    };

/**
 * Normalizes a host name or a URL's host: lower case, without IPv6 brackets or trailing dots. Does not apply IDNA or
 * canonicalize the notations of IPv4, which the URL parser does.
 *
 * @example
 * normalizeHostname("Example.COM."); // "example.com"
 * normalizeHostname("[::1]"); // "::1"
 */
export function normalizeHostname(hostname: string): string {
  const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  // no regular expression: /\.+$/ takes quadratic time on a long run of dots
  let end = name.length;
  while (name[end - 1] === ".") end -= 1;
  return name.slice(0, end);
}

/** Returns whether a normalized host name is the domain or one of its subdomains. */
export function isInDomain(hostname: string, domain: string): boolean {
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

/** Returns whether the entry names `hostname`, which must be normalized. */
export function listsName(entry: ListedTarget, hostname: string): boolean {
  return entry.kind === "name" && normalizeHostname(entry.hostname) === hostname;
}

/** Returns whether the entry is `hostname`, which must be normalized, or one of its parent domains. */
export function listsDomain(entry: ListedTarget, hostname: string): boolean {
  return entry.kind === "name" && isInDomain(hostname, normalizeHostname(entry.hostname));
}

/** Returns whether the entry covers this port of its hosts; one without a port covers all, as in a denylist. */
export function listsPort({ port: listed }: ListedTarget, port: number): boolean {
  return listed === null || listed === port;
}

/** Returns whether the entry is a CIDR block that contains the address. */
export function listsAddress(entry: ListedTarget, address: Address): boolean {
  if (entry.kind !== "cidr") return false;
  const block = blockOf(entry);
  return block !== null && isInBlock(address, block);
}

/** Caches the parsed blocks, because a list may be long and is searched for every connection. */
const blocks = new WeakMap<ListedTarget, AddressBlock | null>();

function blockOf(entry: Extract<ListedTarget, { readonly kind: "cidr" }>): AddressBlock | null {
  let block = blocks.get(entry);
  if (block === undefined) {
    block = parseBlock(`${entry.address}/${entry.prefixLength}`);
    blocks.set(entry, block);
  }
  return block;
}

/**
 * Parses an allowlist or denylist (`SNAP_ALLOW_TARGETS`, `SNAP_DENY_TARGETS`): host names, addresses and CIDR blocks,
 * separated by commas, each with an optional `:port`. Write IPv6 in brackets if a port follows.
 *
 * @throws RangeError that quotes the invalid text and explains what is wrong with it.
 *
 * @example
 * parseTargetList("wiki.example.com, 10.0.0.0/8, [fd00::/8]:3000");
 */
export function parseTargetList(text: string): ListedTarget[] {
  const entries = text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  if (entries.length === 0 && text.trim() !== "")
    throw new RangeError(`"${text}" contains no hosts or blocks`);
  return entries.map(parseEntry);
}

function parseEntry(entry: string): ListedTarget {
  const { subject, portDigits } = splitPort(entry);
  const port = portDigits === null ? null : Number(portDigits);
  const block = parseBlock(subject);
  if (port !== null && (port < 1 || port > 65_535)) {
    throw new RangeError(`"${entry}": the port must be from 1 to 65535`);
  }
  if (block !== null) {
    const [address = ""] = subject.split("/");
    const prefixLength = Number(subject.split("/")[1] ?? (address.includes(":") ? 128 : 32));
    return { kind: "cidr", address, prefixLength, port };
  }
  const hostname = parseName(subject);
  if (hostname === null) {
    throw new RangeError(
      `"${entry}" is not a host name, address or CIDR block with an optional port; ` +
        "use a form like intranet.example, intranet.example:8080, 10.0.0.0/8, 127.0.0.1:3000, fd00::/8 or [::1]:3000",
    );
  }
  return { kind: "name", hostname, port };
}

/** More than one colon without brackets means an IPv6 address without a port. */
function splitPort(entry: string): { subject: string; portDigits: string | null } {
  const bracketed = /^\[([^\]]*:[^\]]*)\](?::(\d{1,5}))?$/.exec(entry);
  const plain = /^([^:[\]]*):(\d{1,5})$/.exec(entry);
  const [, subject = entry, portDigits = null] = bracketed ?? plain ?? [];
  return { subject, portDigits };
}

/** Letters and digits of any script, hyphens, and underscores, which some private names contain. */
function parseName(text: string): string | null {
  if (!/^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*\.?$/u.test(text)) return null;
  const hostname = normalizeHostname(domainToASCII(text));
  return hostname === "" || parseBlock(hostname) !== null ? null : hostname;
}
