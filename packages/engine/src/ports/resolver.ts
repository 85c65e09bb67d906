import { lookup } from "node:dns/promises";

/** Name resolution: every address of a host name, as textual IPv4 or IPv6 addresses. */
export interface Resolver {
  /** Rejects, or answers an empty list, when the name has no address. */
  resolve(hostname: string): Promise<readonly string[]>;
}

/** The resolver of the operating system, hosts file included. */
export const systemResolver: Resolver = {
  async resolve(hostname) {
    const answers = await lookup(hostname, { all: true, order: "verbatim" });
    return answers.map((answer) => answer.address);
  },
};
