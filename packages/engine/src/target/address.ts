import { isIP } from "node:net";

/** An IP address as a number. IPv4-mapped IPv6 (RFC 4291 2.5.5.2) is IPv4: it reaches the same sockets. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

export interface AddressBlock extends Address {
  readonly prefixLength: number;
}

/** Reads a textual IPv4 or IPv6 address; `null` for anything else, an address with a zone included. */
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

/** Reads a CIDR block; bits behind the prefix don't matter. `null` for anything else. */
export function parseBlock(text: string): AddressBlock | null {
  const [, head = "", digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(head);
  if (address === null) return null;
  const writtenBits = head.includes(":") ? 128 : 32;
  const prefixLength = Number(digits ?? writtenBits) - (writtenBits - address.bits);
  return prefixLength < 0 || prefixLength > address.bits ? null : { ...address, prefixLength };
}

export function isInBlock(address: Address, block: AddressBlock): boolean {
  const behindPrefix = BigInt(block.bits - block.prefixLength);
  return address.bits === block.bits && address.value >> behindPrefix === block.value >> behindPrefix;
}

/** The last 32 bits of an IPv6 address, where transition mechanisms put an IPv4 address. */
export function embeddedIpv4(ipv6: bigint): bigint {
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

/** Groups on one side of `::` as hexadecimal digits; the last may be written as IPv4 (RFC 4291 2.2). */
function parseGroups(text: string): string {
  if (text === "") return "";
  return text
    .split(":")
    .map((group) =>
      group.includes(".") ? parseIpv4(group).toString(16).padStart(8, "0") : group.padStart(4, "0"),
    )
    .join("");
}
