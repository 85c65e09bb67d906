import { embeddedIpv4, isInBlock, parseAddress, type Address } from "./address.ts";
import { isClosed } from "./closed-sockets.ts";
import { allowsAddress, allowsName } from "./exceptions.ts";
import { normalizeHostname } from "./hostname.ts";
import { isWebPort } from "./port.ts";
import type { TargetPolicy } from "./policy.ts";
import { GLOBAL_UNICAST, NAT64, SPECIAL_IPV4_BLOCKS, SPECIAL_IPV6_BLOCKS } from "./special-blocks.ts";

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
export function judgeAddress({ address, hostname, port, policy }: AddressQuestion): "ok" | "blocked" {
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
