import type { Resolver } from "@snap/engine/ports";
import { addAbortListener } from "node:events";

/**
 * Addresses by host name; a function is called for each lookup, to simulate DNS rebinding or a resolver that recovers.
 * `fails` rejects with `ESERVFAIL`: the resolver failed, and the name may exist. `silent` never responds, and rejects
 * only when aborted.
 */
export type FakeHosts = Readonly<Record<string, FakeHost | (() => FakeHost)>>;

export type FakeHost = readonly string[] | "fails" | "silent";

/**
 * Creates a resolver from a table. `resolve()` rejects with `ENOTFOUND` if the name is not in the table.
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
      if (host === undefined) throw dnsError("ENOTFOUND", hostname);
      if (host === "fails") throw dnsError("ESERVFAIL", hostname);
      return host === "silent" ? rejectOnAbort(signal) : host;
    },
  };
}

function dnsError(code: string, hostname: string): Error {
  return Object.assign(new Error(`query ${code} ${hostname}`), { code, hostname });
}

function rejectOnAbort(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    // also calls back if the signal is already aborted
    if (signal !== undefined) addAbortListener(signal, () => reject(signal.reason as Error));
  });
}
