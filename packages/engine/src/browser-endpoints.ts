import { isIP } from "node:net";
import { parseAddress } from "./targets/addresses.ts";

/** A browser that runs elsewhere. */
export interface BrowserEndpoint {
  /** Where its DevTools protocol is spoken; may hold secrets. */
  readonly url: URL;
  /** Scheme, host and port: all that may be shown of it. */
  readonly origin: string;
  /** On this machine, so that it reaches what listens on our loopback. */
  readonly isLoopback: boolean;
}

const ENDPOINTS_MAX = 64;
const SCHEMES = /^(ws|wss|http|https):$/;

/**
 * Reads the addresses of browsers that run elsewhere: `ws://` and `wss://` are a browser's own DevTools
 * address, `http://` and `https://` those of one that names it at `/json/version`.
 *
 * @throws RangeError that says which one is at fault by its place, never by its value: it may hold secrets
 * @example
 * const [endpoint] = parseBrowserUrls(["wss://browsers.example/?token=secret"]);
 * console.log(endpoint?.origin); // wss://browsers.example
 */
export function parseBrowserUrls(urls: readonly string[]): readonly BrowserEndpoint[] {
  if (urls.length > ENDPOINTS_MAX) throw new RangeError(`at most ${ENDPOINTS_MAX} addresses are allowed`);
  const seen = new Map<string, number>();
  return urls.map((text, index) => {
    const which = `address ${index + 1}`;
    const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
    if (url === null || !SCHEMES.test(url.protocol))
      throw new RangeError(
        `${which} is not a DevTools endpoint; use a form like ws://127.0.0.1:9222/devtools/browser/… or http://127.0.0.1:9222`,
      );
    url.hash = "";
    const earlier = seen.get(url.href);
    if (earlier !== undefined)
      throw new RangeError(`${which} is the same as address ${earlier}; list each browser once`);
    seen.set(url.href, index + 1);
    return { url, origin: `${url.protocol}//${url.host}`, isLoopback: isLoopback(url.hostname) };
  });
}

/**
 * Whether this is an address that stands for every interface (`0.0.0.0`, `::`): one to listen at, by which
 * nobody is reached from elsewhere.
 *
 * @example
 * isUnspecifiedAddress("0.0.0.0"); // true
 */
export function isUnspecifiedAddress(host: string): boolean {
  return parseAddress(host.replace(/^\[(.*)\]$/, "$1"))?.value === 0n;
}

function isLoopback(hostname: string): boolean {
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}
