import { lookup } from "node:dns/promises";

/** Name resolution. */
export interface Resolver {
  /** Returns every IPv4 and IPv6 address of a host name. Rejects, or returns an empty list, if it has none. */
  resolve(hostname: string): Promise<readonly string[]>;
}

/** The resolver of the operating system, which includes the hosts file. */
export const systemResolver: Resolver = {
  async resolve(hostname) {
    const addresses = await lookup(hostname, { all: true, order: "verbatim" });
    return addresses.map(({ address }) => address);
  },
};
