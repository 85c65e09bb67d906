import { isIP } from "node:net";
import { parseAddress } from "./targets/addresses.ts";

/** A remote browser. */
export interface BrowserEndpoint {
  /** Its DevTools endpoint; may contain secrets. */
  readonly url: URL;
  /** Scheme, host and port: the only part that may be logged or shown. */
  readonly origin: string;
  /** Whether it runs on this machine, and so can reach services on the loopback interface. */
  readonly isLoopback: boolean;
}

const ENDPOINTS_MAX = 64;
const SCHEMES = /^(ws|wss|http|https):$/;

/**
 * Parses the endpoints of remote browsers. A `ws://` or `wss://` URL is the DevTools endpoint itself; an `http://` or
 * `https://` URL is a server that returns it at `/json/version`.
 *
 * @throws RangeError that names the invalid address by its position, never by its value, which may contain secrets.
 * @example
 * const [endpoint] = parseBrowserUrls(["wss://browsers.example/?token=secret"]);
 * console.log(endpoint?.origin); // wss://browsers.example
 */
export function parseBrowserUrls(urls: readonly string[]): readonly BrowserEndpoint[] {
  if (urls.length > ENDPOINTS_MAX) throw new RangeError(`at most ${ENDPOINTS_MAX} addresses are allowed`);
  const positions = new Map<string, number>();
  return urls.map((text, index) => {
    const label = `address ${index + 1}`;
    const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
    if (url === null || !SCHEMES.test(url.protocol))
      throw new RangeError(
        `${label} is not a DevTools endpoint; use a form like ws://127.0.0.1:9222/devtools/browser/… or http://127.0.0.1:9222`,
      );
    url.hash = "";
    const earlier = positions.get(url.href);
    if (earlier !== undefined)
      throw new RangeError(`${label} is the same as address ${earlier}; list each browser once`);
    positions.set(url.href, index + 1);
    return { url, origin: `${url.protocol}//${url.host}`, isLoopback: isLoopback(url.hostname) };
  });
}

/**
 * Returns whether the text is an IP address or a host name, without brackets, a scheme or a port.
 *
 * @example
 * isHostName("fd00::5"); // true
 * isHostName("[fd00::5]"); // false
 */
export function isHostName(text: string): boolean {
  if (isIP(text) !== 0) return true;
  // not a mistyped IP address: a URL parser reads a name that ends in a number as an IPv4 address (WHATWG URL, 3.5)
  return /^[\p{L}\p{N}]([\p{L}\p{N}._-]*[\p{L}\p{N}])?$/u.test(text) && URL.canParse(`http://${text}/`);
}

/**
 * Returns whether the address means every interface (`0.0.0.0`, `::`): a server can listen on it, but clients on other
 * machines cannot connect to it.
 *
 * @example
 * isUnspecifiedAddress("0.0.0.0"); // true
 */
export function isUnspecifiedAddress(host: string): boolean {
  return parseAddress(host)?.value === 0n;
}

function isLoopback(hostname: string): boolean {
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}
