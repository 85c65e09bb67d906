import type { Resolver } from "@snap/engine/ports";

/** Addresses by host name; a function is asked anew for each resolution, as a rebinding name is. */
export type FakeHosts = Readonly<Record<string, readonly string[] | (() => readonly string[])>>;

/**
 * Name resolution from a table. A name that is not in it rejects with `ENOTFOUND`.
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
