import { domainToASCII } from "node:url";
import { type Address, type AddressBlock, isInBlock, parseAddress, parseBlock } from "./addresses.ts";

/** A private target that the operator allows: a host name or a block of addresses. */
export type AllowedTarget =
  | { readonly kind: "name"; readonly hostname: string; readonly port: number | null }
  | {
      readonly kind: "block";
      readonly address: string;
      readonly prefixLength: number;
      readonly port: number | null;
    };

/** A port of a host. A loopback or unspecified address means every address of this machine. */
export interface ClosedSocket {
  readonly hostname: string;
  readonly port: number;
}

/** Exceptions to the rule that only public targets are allowed. */
export interface TargetPolicy {
  /** The allowlist of private targets (`SNAP_ALLOW_TARGETS`). */
  readonly allow: readonly AllowedTarget[];
  /** Host names of this service, blocked so that it cannot render itself. */
  readonly ownHostnames: readonly string[];
  /** Sockets blocked even if the allowlist covers them, such as a browser's DevTools port; none by default. */
  readonly closed?: readonly ClosedSocket[];
}

/** Allows public targets only. */
export const PUBLIC_TARGETS_ONLY: TargetPolicy = { allow: [], ownHostnames: [] };

/** Of the system ports, below 1024, only 80 and 443 serve the web (RFC 6335, 6). */
export function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || port >= 1024;
}

/**
 * Normalizes the host of a parsed URL: lower case, without IPv6 brackets and without the trailing dot. The URL parser
 * has already resolved IDNA and the notations of IPv4.
 *
 * @example
 * normalizeHostname("Example.COM."); // "example.com"
 * normalizeHostname("[::1]"); // "::1"
 */
export function normalizeHostname(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.+$/, "");
}

/** Returns whether the allowlist contains this host name, whatever it resolves to. */
export function allowsName(target: {
  readonly hostname: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}): boolean {
  return target.policy.allow.some(
    (entry) =>
      entry.kind === "name" &&
      normalizeHostname(entry.hostname) === target.hostname &&
      coversPort(entry, target.port),
  );
}

/** Returns whether the allowlist contains a block with this address. */
export function allowsAddress(target: {
  readonly address: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}): boolean {
  const address = parseAddress(target.address);
  if (address === null) return false;
  return target.policy.allow.some((entry) => {
    if (entry.kind !== "block" || !coversPort(entry, target.port)) return false;
    const block = parseBlock(`${entry.address}/${entry.prefixLength}`);
    return block !== null && isInBlock(address, block);
  });
}

/** Returns whether the allowlist has addresses with this port, so that only name resolution can decide. */
export function allowsSomeAddress({ allow }: TargetPolicy, port: number): boolean {
  return allow.some((entry) => entry.kind === "block" && entry.port === port);
}

function coversPort(entry: AllowedTarget, port: number): boolean {
  return entry.port === null ? isWebPort(port) : entry.port === port;
}

/** Addresses that reach services on this machine. */
const THIS_MACHINE = ["127.0.0.0/8", "0.0.0.0/8", "::/127"].map(parseBlock).filter((block) => block !== null);

/** Returns whether the policy blocks this socket even if its allowlist covers it. */
export function isClosed(target: {
  /** A normalized host name, or a textual address. */
  readonly host: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}): boolean {
  const { host, port, policy } = target;
  const { closed = [] } = policy;
  if (closed.length === 0) return false;
  const address = parseAddress(host);
  return closed.some((socket) => socket.port === port && isSameHost(socket, { host, address }));
}

function isSameHost(
  socket: ClosedSocket,
  { host, address }: { readonly host: string; readonly address: Address | null },
): boolean {
  const closedHost = normalizeHostname(socket.hostname);
  const closedAddress = parseAddress(closedHost);
  if (address === null) return closedHost === host;
  if (closedHost === "localhost") return isThisMachine(address);
  if (closedAddress === null) return false;
  if (isThisMachine(closedAddress)) return isThisMachine(address);
  return closedAddress.bits === address.bits && closedAddress.value === address.value;
}

function isThisMachine(address: Address): boolean {
  return THIS_MACHINE.some((block: AddressBlock) => isInBlock(address, block));
}

/**
 * Parses an allowlist of private targets (`SNAP_ALLOW_TARGETS`): host names, addresses and CIDR blocks, separated by
 * commas, each with an optional `:port`. An entry without a port allows 80, 443 and 1024 to 65535. Write IPv6 in
 * brackets if a port follows.
 *
 * @throws Error that names the invalid entry and the valid forms.
 *
 * @example
 * parseAllowedTargets("wiki.example.com, 10.0.0.0/8, [fd00::/8]:3000");
 */
export function parseAllowedTargets(text: string): AllowedTarget[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map(parseEntry);
}

function parseEntry(entry: string): AllowedTarget {
  const { subject, portDigits } = splitPort(entry);
  const port = portDigits === null ? null : Number(portDigits);
  const block = parseBlock(subject);
  if (port !== null && (port < 1 || port > 65_535)) {
    throw new Error(`"${entry}": the port must be from 1 to 65535`);
  }
  if (block !== null) {
    const [address = ""] = subject.split("/");
    const prefixLength = Number(subject.split("/")[1] ?? (address.includes(":") ? 128 : 32));
    return { kind: "block", address, prefixLength, port };
  }
  const hostname = parseName(subject);
  if (hostname === null) {
    throw new Error(
      `"${entry}" is not a host name, address or CIDR block with an optional port; ` +
        "use a form like intranet.example, intranet.example:8080, 10.0.0.0/8, 127.0.0.1:3000, fd00::/8 or [::1]:3000",
    );
  }
  return { kind: "name", hostname, port };
}

/** More than one colon without brackets is an IPv6 address without a port. */
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
