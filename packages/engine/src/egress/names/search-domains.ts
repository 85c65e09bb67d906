import { hostname as nameOfThisMachine } from "node:os";

/** How the machine completes host names (resolv.conf(5)). */
export interface SearchDomains {
  readonly domains: readonly string[];
  /** A name with fewer dots is tried with the search domains before it is tried as is. */
  readonly ndots: number;
}

/** Parses `search`, `domain` and `options ndots:` in a resolv.conf; c-ares reads the servers itself. */
export function parseSearchDomains(text: string): SearchDomains {
  let domains = [nameOfThisMachine().split(".").slice(1).join(".")];
  let ndots = 1;
  for (const line of text.split("\n")) {
    const [keyword = "", ...values] = line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/);
    if (keyword === "search" || keyword === "domain") domains = values;
    const option = values.find((value) => value.startsWith("ndots:"));
    if (keyword === "options" && option !== undefined) ndots = Number.parseInt(option.slice(6), 10) || 0;
  }
  const cleaned = domains
    .map((domain) => domain.replaceAll(/^\.+|\.+$/g, ""))
    .filter((domain) => domain !== "");
  return { domains: cleaned, ndots };
}

/** Returns the names to look up for a host name, in order, as glibc does. */
export function listLookupNames(hostname: string, { domains, ndots }: SearchDomains): readonly string[] {
  const qualifiedNames = domains.map((domain) => `${hostname}.${domain}`);
  const dots = hostname.split(".").length - 1;
  return dots >= ndots ? [hostname, ...qualifiedNames] : [...qualifiedNames, hostname];
}
