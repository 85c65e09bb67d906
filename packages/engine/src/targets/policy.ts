import { domainToASCII } from "node:url";
import { type Address, type AddressBlock, isInBlock, parseAddress, parseBlock } from "./addresses.ts";

/** A private target that the operator allows all the same: a host name or a block of addresses. */
export type AllowedTarget =
  | { readonly kind: "name"; readonly hostname: string; readonly port: number | null }
  | {
      readonly kind: "block";
      readonly address: string;
      readonly prefixLength: number;
      readonly port: number | null;
    };

/** A host, by name or address, and a port of it. An address of the loopback or of any interface stands for all of them. */
export interface ClosedSocket {
  readonly hostname: string;
  readonly port: number;
}

/** Which targets may be connected to, beyond what is public. */
export interface TargetPolicy {
  /** Explicit exceptions; empty unless the operator opened them (`SNAP_ALLOW_TARGETS`). */
  readonly allow: readonly AllowedTarget[];
  /** Host names of our own service, refused so that it can't be made to render itself. */
  readonly ownHostnames: readonly string[];
  /** Sockets of ours that no exception opens, such as a browser's DevTools port; none unless given. */
  readonly closed?: readonly ClosedSocket[];
}

/** Closed by default: public targets only. */
export const PUBLIC_TARGETS_ONLY: TargetPolicy = { allow: [], ownHostnames: [] };

/** Below 1024 live the services of systems, of which 80 and 443 are the web's (RFC 6335, 6). */
export function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || port >= 1024;
}

/**
 * One spelling for one host: lower case, without the brackets of IPv6 and without the root's dot.
 * Takes the host of a parsed URL, so that IDNA and the spellings of IPv4 are already resolved.
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

/** Whether the operator opened this very host name, whatever it resolves to. */
export function allowsName(asked: {
  readonly hostname: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}): boolean {
  return asked.policy.allow.some(
    (entry) =>
      entry.kind === "name" &&
      normalizeHostname(entry.hostname) === asked.hostname &&
      coversPort(entry, asked.port),
  );
}

/** Whether the operator opened a block that this address is in. */
export function allowsAddress(asked: {
  readonly address: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}): boolean {
  const address = parseAddress(asked.address);
  if (address === null) return false;
  return asked.policy.allow.some((entry) => {
    if (entry.kind !== "block" || !coversPort(entry, asked.port)) return false;
    const block = parseBlock(`${entry.address}/${entry.prefixLength}`);
    return block !== null && isInBlock(address, block);
  });
}

/** Whether some address is open at this port, which only a look-up can tell from the others. */
export function allowsSomeAddress({ allow }: TargetPolicy, port: number): boolean {
  return allow.some((entry) => entry.kind === "block" && entry.port === port);
}

function coversPort({ port }: AllowedTarget, asked: number): boolean {
  return port === null ? isWebPort(asked) : port === asked;
}

/** Each of them leads to what listens on this machine. */
const HERE = ["127.0.0.0/8", "0.0.0.0/8", "::/127"].map(parseBlock).filter((block) => block !== null);

/** Whether this host and port, or the address that a host led to, is one that no exception opens. */
export function isClosed(asked: {
  /** A normalized host name, or a textual address. */
  readonly host: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}): boolean {
  const { host, port, policy } = asked;
  const { closed = [] } = policy;
  if (closed.length === 0) return false;
  const address = parseAddress(host);
  return closed.some((socket) => socket.port === port && isSameHost(socket, { host, address }));
}

function isSameHost(
  socket: ClosedSocket,
  { host, address }: { readonly host: string; readonly address: Address | null },
): boolean {
  const own = normalizeHostname(socket.hostname);
  const ownAddress = parseAddress(own);
  if (address === null) return own === host;
  if (own === "localhost") return isHere(address);
  if (ownAddress === null) return false;
  if (isHere(ownAddress)) return isHere(address);
  return ownAddress.bits === address.bits && ownAddress.value === address.value;
}

function isHere(address: Address): boolean {
  return HERE.some((block: AddressBlock) => isInBlock(address, block));
}

/**
 * Reads a list of private targets to allow all the same (architecture.md, `SNAP_ALLOW_TARGETS`):
 * host names, addresses and CIDR blocks, separated by commas, each with an optional `:port`. An entry
 * without a port opens 80, 443 and 1024 to 65535. IPv6 is written in brackets when a port follows.
 *
 * @throws Error that names the entry at fault and what would do.
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

/** More than one colon and no brackets is IPv6 without a port. */
function splitPort(entry: string): { subject: string; portDigits: string | null } {
  const bracketed = /^\[([^\]]*:[^\]]*)\](?::(\d{1,5}))?$/.exec(entry);
  const plain = /^([^:[\]]*):(\d{1,5})$/.exec(entry);
  const [, subject = entry, portDigits = null] = bracketed ?? plain ?? [];
  return { subject, portDigits };
}

/** Letters, digits and hyphens of any script, and the underscore that some private names have. */
function parseName(text: string): string | null {
  if (!/^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*\.?$/u.test(text)) return null;
  const hostname = normalizeHostname(domainToASCII(text));
  return hostname === "" || parseBlock(hostname) !== null ? null : hostname;
}
