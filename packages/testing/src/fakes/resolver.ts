import type { Resolver } from "@snap/engine/ports";

/**
 * Addresses by host name; a function is called for each look-up, to simulate DNS rebinding or a resolver that recovers.
 * `fails`: the resolver fails, and the name may exist; `silent`: it does not respond.
 */
export type FakeHosts = Readonly<Record<string, FakeHost | (() => FakeHost)>>;

export type FakeHost = readonly string[] | "fails" | "silent";

/**
 * Creates a resolver from a table. An unknown name rejects with `ENOTFOUND`.
 *
 * @example
 * let rebound = false;
 * const resolver = createFakeResolver({
 *   "example.com": ["93.184.215.14"],
 *   "rebinding.example.com": () => [rebound ? "127.0.0.1" : "93.184.215.14"],
 *   "down.example.com": "fails",
 * });
 */
export function createFakeResolver(hosts: FakeHosts): Resolver {
  return {
    async resolve(hostname, { signal } = {}) {
      const entry = Object.hasOwn(hosts, hostname) ? hosts[hostname] : undefined;
      const host = typeof entry === "function" ? entry() : entry;
      if (host === undefined) throw failure("ENOTFOUND", hostname);
      if (host === "fails") throw failure("ESERVFAIL", hostname);
      return host === "silent" ? aborted(signal) : host;
    },
  };
}

function failure(code: string, hostname: string): Error {
  return Object.assign(new Error(`query ${code} ${hostname}`), { code, hostname });
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
