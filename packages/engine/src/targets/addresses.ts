import { isIP } from "node:net";

/**
 * An IP address as a number. IPv4-mapped IPv6 (RFC 4291, 2.5.5.2) becomes IPv4, because it reaches the same sockets.
 */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

export interface AddressBlock extends Address {
  readonly prefixLength: number;
}

/** Parses a textual IPv4 or IPv6 address. Returns `null` for anything else, including an address with a zone. */
export function parseAddress(text: string): Address | null {
  switch (text.includes("%") ? 0 : isIP(text)) {
    case 4:
      return { bits: 32, value: parseIpv4(text) };
    case 6: {
      const value = parseIpv6(text);
      return value >> 32n === 0xffffn ? { bits: 32, value: embeddedIpv4(value) } : { bits: 128, value };
    }
    default:
      return null;
  }
}

/** Parses an address or a CIDR block; ignores the bits after the prefix. Returns `null` for anything else. */
export function parseBlock(text: string): AddressBlock | null {
  const [, head = "", digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(head);
  if (address === null) return null;
  const writtenBits = head.includes(":") ? 128 : 32;
  const prefixLength = Number(digits ?? writtenBits) - (writtenBits - address.bits);
  return prefixLength < 0 || prefixLength > address.bits ? null : { ...address, prefixLength };
}

export function isInBlock(address: Address, block: AddressBlock): boolean {
  const hostBits = BigInt(block.bits - block.prefixLength);
  return address.bits === block.bits && address.value >> hostBits === block.value >> hostBits;
}

/** Returns the last 32 bits of an IPv6 address, where transition mechanisms embed IPv4 addresses. */
function embeddedIpv4(ipv6: bigint): bigint {
  return ipv6 & 0xffff_ffffn;
}

function parseIpv4(text: string): bigint {
  return text.split(".").reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);
}

function parseIpv6(text: string): bigint {
  const [head = "", tail = ""] = text.split("::").map(parseGroups);
  const zeros = "0".repeat(32 - head.length - tail.length);
  return BigInt(`0x${head}${zeros}${tail}`);
}

/** Converts the groups on one side of `::` to hexadecimal digits; the last may be an IPv4 address (RFC 4291, 2.2). */
function parseGroups(text: string): string {
  if (text === "") return "";
  return text
    .split(":")
    .map((group) =>
      group.includes(".") ? parseIpv4(group).toString(16).padStart(8, "0") : group.padStart(4, "0"),
    )
    .join("");
}

/*
 * Blocks without public pages: those of the IANA special-purpose address registries (RFC 6890), multicast,
 * and an address of Azure. They include blocks that a registry marks as globally reachable, because none of
 * those serves pages.
 */

const SPECIAL_IPV4_BLOCKS: readonly AddressBlock[] = [
  "0.0.0.0/8", // this network: RFC 791, 3.2
  "10.0.0.0/8", // private use: RFC 1918
  "100.64.0.0/10", // shared address space of carrier-grade NAT: RFC 6598
  "127.0.0.0/8", // loopback: RFC 1122, 3.2.1.3
  "168.63.129.16/32", // services of the Azure host, at a public address: no RFC
  "169.254.0.0/16", // link local, includes cloud metadata services: RFC 3927
  "172.16.0.0/12", // private use: RFC 1918
  "192.0.0.0/24", // IETF protocol assignments: RFC 6890, 2.1
  "192.0.2.0/24", // documentation: RFC 5737
  "192.31.196.0/24", // AS112: RFC 7535
  "192.52.193.0/24", // automatic multicast tunneling: RFC 7450
  "192.88.99.0/24", // 6to4 relays, deprecated: RFC 7526
  "192.168.0.0/16", // private use: RFC 1918
  "192.175.48.0/24", // AS112, direct delegation: RFC 7534
  "198.18.0.0/15", // benchmarking: RFC 2544
  "198.51.100.0/24", // documentation: RFC 5737
  "203.0.113.0/24", // documentation: RFC 5737
  "224.0.0.0/4", // multicast: RFC 5771
  "240.0.0.0/4", // reserved, includes limited broadcast: RFC 1112, 4; RFC 8190
].map(requireBlock);

/** The only IPv6 space allocated for global unicast: RFC 4291, 2.4, and its IANA registry. */
const GLOBAL_UNICAST = requireBlock("2000::/3");

const SPECIAL_IPV6_BLOCKS: readonly AddressBlock[] = [
  "2001::/23", // IETF protocol assignments: RFC 2928; Teredo (RFC 4380), ORCHID (RFC 4843, RFC 7343)
  "2001:db8::/32", // documentation: RFC 3849
  "2002::/16", // 6to4, embeds an IPv4 address: RFC 3056
  "2620:4f:8000::/48", // AS112, direct delegation: RFC 7534
  "3fff::/20", // documentation: RFC 9637
].map(requireBlock);

/** The well-known prefix of NAT64, which connects IPv6-only networks to IPv4: RFC 6052, 2.1. */
const NAT64 = requireBlock("64:ff9b::/96");

/** Returns the addresses that a connection reaches: this one and, through NAT64, its embedded IPv4 address. */
export function reachedAddresses(address: Address): readonly Address[] {
  if (!isInBlock(address, NAT64)) return [address];
  return [address, { bits: 32, value: embeddedIpv4(address.value) }];
}

function requireBlock(cidr: string): AddressBlock {
  const parsed = parseBlock(cidr);
  if (parsed === null) throw new Error(`not a CIDR block: ${cidr}`);
  return parsed;
}

/** Returns whether an address is publicly reachable. */
export function isPublic(address: Address): boolean {
  return address.bits === 32 ? isPublicIpv4(address) : isPublicIpv6(address);
}

function isPublicIpv4(address: Address): boolean {
  return !SPECIAL_IPV4_BLOCKS.some((block) => isInBlock(address, block));
}

function isPublicIpv6(address: Address): boolean {
  // RFC 6052, 3.1: the prefix must not represent non-global IPv4 addresses, so check the embedded one
  if (isInBlock(address, NAT64)) return isPublicIpv4({ bits: 32, value: embeddedIpv4(address.value) });
  if (!isInBlock(address, GLOBAL_UNICAST) || isIsatap(address)) return false;
  return !SPECIAL_IPV6_BLOCKS.some((block) => isInBlock(address, block));
}

/** The interface identifier is ::5efe:a.b.c.d, with any universal and group bits: RFC 5214, 6.1. */
function isIsatap({ value }: Address): boolean {
  return ((value >> 32n) & 0xfcff_ffffn) === 0x0000_5efen;
}
