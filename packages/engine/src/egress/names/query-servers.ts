import { BADNAME, BADRESP, FORMERR, NODATA, NOTFOUND, NOTIMP, REFUSED, SERVFAIL } from "node:dns";
import { Resolver as Channel } from "node:dns/promises";

/** How long to wait for a server before querying the next one, or the same one again. Doubles with each round. */
const TRY_TIMEOUT_MS = 1_000;
const TRIES_MAX = 3;
/** Enough for any site; a response over TCP can contain thousands. */
const ADDRESSES_PER_FAMILY_MAX = 32;
/**
 * How long to wait for the AAAA records once the A records have arrived. RFC 8305, 3 recommends 50 ms, but DNS64
 * (RFC 6147) takes longer, and its addresses may be the only ones that this machine can reach.
 */
const LATE_IPV6_MS = 300;

export interface Query {
  readonly name: string;
  /** Addresses of name servers, in the form that `dns.setServers` takes; `null` for the machine's. */
  readonly servers: readonly string[] | null;
  readonly signal: AbortSignal;
}

/** A name's addresses, IPv4 first. */
export interface Answer {
  readonly addresses: readonly string[];
  /** Whether the queries for both address families succeeded. */
  readonly isComplete: boolean;
}

/** `absent`: the name does not exist. `empty`: it has no address in this family. */
type FamilyAnswer =
  | { readonly kind: "addresses"; readonly addresses: readonly string[] }
  | { readonly kind: "absent" | "empty" }
  | { readonly kind: "failed"; readonly error: unknown };

/**
 * Queries the name servers for the A and AAAA records of an absolute name at the same time. One family is enough: once
 * there are A records, or the name does not exist, it waits only briefly for the AAAA records.
 *
 * @throws the error from `node:dns` if no server can tell whether the name has addresses.
 */
export async function queryServers(query: Query): Promise<Answer> {
  const late = new AbortController();
  const first = queryFamily("ipv4", query);
  const second = queryFamily("ipv6", { ...query, signal: AbortSignal.any([query.signal, late.signal]) });
  const ipv4 = await first;
  const isAnswered = ipv4.kind === "addresses" || ipv4.kind === "absent";
  const timer = isAnswered ? setTimeout(() => late.abort(), LATE_IPV6_MS) : undefined;
  const ipv6 = await second;
  clearTimeout(timer);
  const families = [ipv4, ipv6];
  const addresses = families.flatMap((family) => (family.kind === "addresses" ? family.addresses : []));
  const failure = families.find((family) => family.kind === "failed");
  // a name that is absent for one family has no addresses of the other (RFC 8020, 2)
  if (failure !== undefined && addresses.length === 0 && ipv4.kind !== "absent") throw failure.error;
  return { addresses, isComplete: failure === undefined };
}

async function queryFamily(family: "ipv4" | "ipv6", query: Query): Promise<FamilyAnswer> {
  try {
    const addresses = await ask(family, query);
    return { kind: "addresses", addresses: addresses.slice(0, ADDRESSES_PER_FAMILY_MAX) };
  } catch (error) {
    const code = codeOf(error);
    if (code === NOTFOUND || code === BADNAME) return { kind: "absent" };
    return code === NODATA ? { kind: "empty" } : { kind: "failed", error };
  }
}

/** Errors of a failing server; another server may resolve the name. */
const SERVER_FAILURES: ReadonlySet<string | undefined> = new Set([
  SERVFAIL,
  REFUSED,
  NOTIMP,
  FORMERR,
  BADRESP,
]);

/**
 * Each query has its own channel: it reads resolv.conf when it is created, can be canceled separately, and sends from
 * its own port, because some routers drop the second response to one port.
 */
async function ask(family: "ipv4" | "ipv6", query: Query): Promise<readonly string[]> {
  const { name, servers, signal } = query;
  signal.throwIfAborted();
  const channel = new Channel({ timeout: TRY_TIMEOUT_MS, tries: TRIES_MAX });
  if (servers !== null) channel.setServers(servers);
  const cancel = (): void => channel.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await (family === "ipv4" ? channel.resolve4(name) : channel.resolve6(name));
  } catch (error) {
    // c-ares queries the next server only if this one does not respond
    const others = channel.getServers().slice(1);
    if (others.length === 0 || !SERVER_FAILURES.has(codeOf(error))) throw error;
    return await ask(family, { ...query, servers: others });
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
