/** Domains under which nothing is public; each covers itself and everything below it. */
const PRIVATE_DOMAINS: ReadonlySet<string> = new Set([
  "localhost", // RFC 6761, 6.3
  "localdomain", // the usual alias of the loopback in hosts files
  "local", // multicast DNS: RFC 6762, 3; cluster.local with it
  "internal", // reserved by ICANN, 2024-07-29; metadata.google.internal and docker.internal with it
  "intranet", // used in private networks: RFC 6762, appendix G, as the next four
  "private",
  "corp",
  "home",
  "lan",
  "mail", // never to be delegated, like corp and home: ICANN, 2018-02-04
  "svc", // services of Kubernetes, as its search path completes them
  "arpa", // infrastructure, no hosts: RFC 3172; home.arpa (RFC 8375) and in-addr.arpa with it
  "metadata.goog", // metadata of the clouds under public names
  "metadata.tencentyun.com",
  "metadata.platformequinix.com",
  "metadata.packet.net",
  "metadata.cloud.ibm.com",
]);

/**
 * Whether a normalized host name can belong to a public page, as far as the name tells. A name without
 * a dot can't: the machine's search path completes it (IAB, Dotless Domains Considered Harmful, 2013).
 */
export function isPublicName(hostname: string): boolean {
  if (!hostname.includes(".")) return false;
  const labels = hostname.split(".");
  return !labels.some((_, index) => PRIVATE_DOMAINS.has(labels.slice(index).join(".")));
}
