import { parseAddress } from "../targets/addresses.ts";
import { isLoopbackOrUnspecified } from "../targets/policy.ts";
import { portOf } from "../targets/target.ts";
import {
  listsAddress,
  listsDomain,
  listsPort,
  normalizeHostname,
  parseTargetList,
  type ListedTarget,
} from "../targets/target-list.ts";

/**
 * A proxy for the connections of pages, webhooks and object stores, except those to `bypass` and to loopback addresses.
 * Printing it does not reveal its password.
 */
export interface UpstreamProxy {
  readonly hostname: string;
  readonly port: number;
  /** Whether the connection to the proxy itself uses TLS. */
  readonly isSecure: boolean;
  /** Scheme, host and port: the only part that may be logged or shown. */
  readonly origin: string;
  /** Header fields that authenticate this service to the proxy. */
  readonly credentials: () => Readonly<Record<string, string>>;
  /** Targets to connect to directly. */
  readonly bypass: readonly ListedTarget[];
  /** Whether the proxy resolves the names of targets; then only it can block names with private addresses. */
  readonly resolvesNames: boolean;
}

export interface UpstreamProxyOptions {
  /** `http://` or `https://`, an optional `user:password@`, a host, and a port if it is not 80 or 443. */
  readonly url: string;
  /**
   * Targets to connect to directly, as in `NO_PROXY`: names with their subdomains, addresses and CIDR blocks, each with
   * an optional `:port`, separated by commas. Loopback addresses are always included.
   */
  readonly noProxy?: string;
  /**
   * Which side resolves the names of targets. `local`, the default: this machine, which blocks private addresses and
   * passes the checked address to the proxy. `proxy`: the proxy, which must then block private addresses itself.
   */
  readonly dns?: "local" | "proxy";
}

const FORM =
  "must be the URL of a proxy such as http://proxy.example:3128 or http://user:password@proxy.example:3128, without a path";

/**
 * Parses the URL and options of an upstream proxy.
 *
 * @throws RangeError that explains what is wrong. It quotes an invalid entry of `noProxy`, but never `url`, which may
 * contain a password.
 * @example
 * const upstreamProxy = parseUpstreamProxy({
 *   url: "http://ada:secret@proxy.example:3128",
 *   noProxy: "intranet.example,10.0.0.0/8",
 * });
 */
export function parseUpstreamProxy({
  url: text,
  noProxy = "",
  dns = "local",
}: UpstreamProxyOptions): UpstreamProxy {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname + url.search + url.hash !== "/")
    throw new RangeError(FORM);
  const fields = credentialFields(url);
  return {
    hostname: normalizeHostname(url.hostname),
    port: portOf(url),
    isSecure: url.protocol === "https:",
    origin: url.origin,
    credentials: () => fields,
    bypass: parseNoProxy(noProxy),
    resolvesNames: dns === "proxy",
  };
}

/** Basic authentication (RFC 7617), in which a user name has no colon. */
function credentialFields({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const [user, secret] = [decode(username), decode(password)];
  if (user === null || secret === null)
    throw new RangeError("must have a percent-encoded user name and password; encode % as %25, @ as %40");
  if (user.includes(":")) throw new RangeError("must have a user name without a colon");
  return { "Proxy-Authorization": `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}` };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Parses the syntax of `NO_PROXY`, in which `example.com`, `.example.com` and `*.example.com` all mean the domain and
 * its subdomains.
 *
 * @throws RangeError that quotes the invalid entry.
 */
export function parseNoProxy(text: string): readonly ListedTarget[] {
  return parseTargetList(text.replaceAll(/(^|,)\s*(\*?\.)/g, "$1"));
}

interface Destination {
  /** Normalized. */
  readonly hostname: string;
  readonly port: number;
}

/** Returns whether connections to the name skip the proxy, whatever it resolves to. */
export function skipsProxy({ bypass }: UpstreamProxy, { hostname, port }: Destination): boolean {
  if (hostname === "localhost" || hostname.endsWith(".localhost")) return true;
  return bypass.some((entry) => listsPort(entry, port) && listsDomain(entry, hostname));
}

/** Returns whether connections to these addresses of a host skip the proxy. */
export function skipsProxyFor(
  { bypass }: UpstreamProxy,
  { addresses, port }: { readonly addresses: readonly string[]; readonly port: number },
): boolean {
  return addresses.length > 0 && addresses.every((address) => skipsForAddress(bypass, address, port));
}

/** Loopback addresses always skip the proxy, because its loopback is not this machine's. */
function skipsForAddress(bypass: readonly ListedTarget[], text: string, port: number): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  return (
    isLoopbackOrUnspecified(address) ||
    bypass.some((entry) => listsPort(entry, port) && listsAddress(entry, address))
  );
}
