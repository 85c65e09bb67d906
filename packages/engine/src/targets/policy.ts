import { systemAddresses, type OwnAddresses } from "../ports/own-addresses.ts";
import {
  type Address,
  isInBlock,
  isPublic,
  parseAddress,
  parseBlock,
  reachedAddresses,
} from "./addresses.ts";
import {
  type ListedTarget,
  listsAddress,
  listsDomain,
  listsName,
  listsPort,
  normalizeHostname,
} from "./target-list.ts";

/** A port on a host. A loopback or unspecified address means every address of this machine. */
export interface HostPort {
  readonly hostname: string;
  readonly port: number;
  /**
   * Whether it also serves others if its address is public, such as a cloud's object storage. If so, it is blocked only
   * at addresses that are not public. `false` by default.
   */
  readonly isShared?: boolean | undefined;
}

/** Exceptions to the rule that public targets are allowed, and all others are blocked. */
export interface TargetPolicy {
  /**
   * The allowlist of private targets (`SNAP_ALLOW_TARGETS`); empty by default. An entry without a port allows 80, 443
   * and 1024 to 65535.
   */
  readonly allow?: readonly ListedTarget[];
  /**
   * The denylist (`SNAP_DENY_TARGETS`), which takes precedence over the allowlist; empty by default. A name includes
   * its subdomains, and an entry without a port includes all ports.
   */
  readonly deny?: readonly ListedTarget[];
  /**
   * Host names of this service; none by default. They are blocked, so it cannot render itself, unless the allowlist
   * covers them.
   */
  readonly ownHostnames?: readonly string[];
  /**
   * Addresses of this machine. Even public ones are blocked unless the allowlist covers them, because connections to
   * them do not pass through a firewall. By default the addresses of its network interfaces.
   */
  readonly ownAddresses?: OwnAddresses;
  /**
   * Ports that this service listens on or connects to, such as those of its databases. Blocked unless an allowlist
   * entry names exactly that port; none by default.
   */
  readonly ownPorts?: readonly HostPort[];
  /** Ports blocked even if the allowlist names them, such as a browser's DevTools port; none by default. */
  readonly alwaysBlocked?: readonly HostPort[];
}

/** Allows only public targets. */
export const PUBLIC_TARGETS_ONLY: TargetPolicy = {};

/** Of the system ports, below 1024, only 80 and 443 serve the web (RFC 6335, 6). */
export function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || port >= 1024;
}

/** A host and a port before name resolution, or one of the host's addresses after it. */
export interface PolicyCheck {
  /** A normalized host name, or a textual address. */
  readonly hostname: string;
  /** `null` before name resolution. */
  readonly address: Address | null;
  readonly port: number;
  readonly policy: TargetPolicy;
}

/** Returns whether the allowlist contains this host name, whatever it resolves to. */
export function allowsName({
  hostname,
  port,
  policy: { allow = [] },
}: Omit<PolicyCheck, "address">): boolean {
  return allow.some((entry) => coversPort(entry, port) && listsName(entry, hostname));
}

/** Returns whether the allowlist has a CIDR block with this address. */
export function allowsAddress({
  address,
  port,
  policy: { allow = [] },
}: Omit<PolicyCheck, "hostname">): boolean {
  if (address === null) return false;
  return allow.some((entry) => coversPort(entry, port) && listsAddress(entry, address));
}

/** Returns whether the allowlist has addresses with this port, so only name resolution can decide. */
export function allowsSomeAddress({ allow = [] }: TargetPolicy, port: number): boolean {
  return allow.some((entry) => entry.kind === "cidr" && entry.port === port);
}

function coversPort(entry: ListedTarget, port: number): boolean {
  return entry.port === null ? isWebPort(port) : entry.port === port;
}

/** Returns whether the policy blocks this target even if its allowlist covers it. */
export function isBlocked(check: PolicyCheck): boolean {
  const { policy } = check;
  return (
    isDenied(check) ||
    isAmong(policy.alwaysBlocked ?? [], check) ||
    (isAmong(closedPorts(policy, [check.address]), check) && !opensPort(check))
  );
}

/**
 * Returns the service's own ports that are closed at one of these addresses; `null` means that the address is not
 * known yet.
 */
export function closedPorts(
  { ownPorts = [] }: TargetPolicy,
  addresses: readonly (Address | null)[],
): readonly HostPort[] {
  const isPrivate = addresses.some((address) => address !== null && !isPublic(address));
  return isPrivate ? ownPorts : ownPorts.filter(({ isShared }) => isShared !== true);
}

function isDenied({ hostname, address, port, policy: { deny = [] } }: PolicyCheck): boolean {
  if (deny.length === 0) return false;
  const reached = address === null ? [] : reachedAddresses(address);
  return deny.some(
    (entry) =>
      listsPort(entry, port) &&
      (listsDomain(entry, hostname) || reached.some((reachedAddress) => listsAddress(entry, reachedAddress))),
  );
}

/** Returns whether an allowlist entry opens exactly this port of the target. */
export function opensPort({ hostname, address, port, policy: { allow = [] } }: PolicyCheck): boolean {
  return allow.some(
    (entry) =>
      entry.port === port &&
      (listsName(entry, hostname) || (address !== null && listsAddress(entry, address))),
  );
}

/** Returns whether the target is one of `hostPorts`. */
export function isAmong(hostPorts: readonly HostPort[], check: PolicyCheck): boolean {
  return hostPorts.some((hostPort) => hostPort.port === check.port && isSameHost(hostPort, check));
}

function isSameHost(blocked: HostPort, { hostname, address, policy }: PolicyCheck): boolean {
  const blockedHost = normalizeHostname(blocked.hostname);
  if (address === null) return blockedHost === hostname;
  const blockedAddress = parseAddress(blockedHost);
  const reached = reachedAddresses(address);
  if (blockedHost === "localhost" || (blockedAddress !== null && isLoopbackOrUnspecified(blockedAddress)))
    return reached.some((own) => isLoopbackOrUnspecified(own) || isOwnAddress(own, policy));
  return blockedAddress !== null && reached.some((candidate) => isSameAddress(candidate, blockedAddress));
}

/** Addresses of this machine that are the same on every machine. */
const LOOPBACK_AND_UNSPECIFIED = ["127.0.0.0/8", "0.0.0.0/8", "::/127"]
  .map(parseBlock)
  .filter((block) => block !== null);

/** Returns whether this is a loopback or unspecified address, which can mean every address of this machine. */
export function isLoopbackOrUnspecified(address: Address): boolean {
  return LOOPBACK_AND_UNSPECIFIED.some((block) => isInBlock(address, block));
}

/** Returns whether this is an address of this machine, or one that `ownHostnames` contains. */
export function isOwnAddress(address: Address, policy: TargetPolicy): boolean {
  const { ownHostnames = [], ownAddresses = systemAddresses } = policy;
  const own = [
    ...ownHostnames.map((name) => parseAddress(normalizeHostname(name))),
    ...parseAddresses(ownAddresses()),
  ];
  return reachedAddresses(address).some((reached) =>
    own.some((other) => other !== null && isSameAddress(reached, other)),
  );
}

function isSameAddress(one: Address, other: Address): boolean {
  return one.bits === other.bits && one.value === other.value;
}

const parsedAddresses = new WeakMap<readonly string[], readonly (Address | null)[]>();

function parseAddresses(addresses: readonly string[]): readonly (Address | null)[] {
  const known = parsedAddresses.get(addresses) ?? addresses.map(parseAddress);
  parsedAddresses.set(addresses, known);
  return known;
}
