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
