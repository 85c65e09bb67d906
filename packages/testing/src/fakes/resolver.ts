import type { Resolver } from "@snap/engine/ports";

/** Addresses by host name; a function is called for each resolution, to simulate DNS rebinding. */
export type FakeHosts = Readonly<Record<string, readonly string[] | (() => readonly string[])>>;

/**
 * Creates a resolver from a table. An unknown name rejects with `ENOTFOUND`.
 *
 * @example
 * let rebound = false;
 * const resolver = createFakeResolver({
 *   "example.com": ["93.184.215.14"],
 *   "rebinding.example.com": () => [rebound ? "127.0.0.1" : "93.184.215.14"],
 * });
 */
export function createFakeResolver(hosts: FakeHosts): Resolver {
  return {
    async resolve(hostname) {
      const entry = Object.hasOwn(hosts, hostname) ? hosts[hostname] : undefined;
      if (entry === undefined)
        throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: "ENOTFOUND", hostname });
      return typeof entry === "function" ? entry() : entry;
    },
  };
}
