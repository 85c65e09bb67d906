import { isIP } from "node:net";

/** Parses a hosts file (hosts(5)) into the addresses of each name, in lower case. */
export function parseHostsFile(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const hostname = name.toLowerCase();
      const addresses = hosts.get(hostname) ?? [];
      if (!addresses.includes(address)) hosts.set(hostname, [...addresses, address]);
    }
  }
  return hosts;
}
