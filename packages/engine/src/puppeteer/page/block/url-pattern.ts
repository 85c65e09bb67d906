import { isHostPattern } from "@snap/protocol";
import type { Protocol } from "puppeteer";
import { parseTarget, type Target } from "../../../targets/target.ts";

type Authority = Pick<Target, "hostname" | "port">;

/** An item of `blockUrls`. */
export interface UrlPattern {
  /**
   * Whether it is a host or `*.host`, with or without a port, which the egress proxy can block without interception.
   */
  readonly isHost: boolean;
  matches(url: string): boolean;
  /** Returns whether it is a host pattern that matches. */
  matchesHost(authority: Authority): boolean;
  /**
   * The requests to pause, which may be more than those that match. A caller's URL pattern with several `*` can stall
   * the browser, so the browser gets only the part up to the first `*`.
   */
  readonly requestPatterns: readonly Protocol.Fetch.RequestPattern[];
  /**
   * Source of a regular expression for the URLs of WebSockets. That of a host pattern matches only URLs with an explicit
   * port.
   */
  readonly webSocketSource: string;
}

/** Parses `blockUrls` after validation. */
export function parseUrlPatterns(list: string | undefined): readonly UrlPattern[] {
  return (list?.split(",") ?? []).map((item) => (isHostPattern(item) ? hostPattern(item) : urlPattern(item)));
}

function hostPattern(item: string): UrlPattern {
  const [, wildcard, hostname = "", port] = /^(\*\.)?([^:]+)(?::(\d+))?$/.exec(item) ?? [];
  const matchesHost = (authority: Authority): boolean =>
    (port === undefined || authority.port === Number(port)) &&
    (wildcard === undefined ? authority.hostname === hostname : authority.hostname.endsWith(`.${hostname}`));
  return {
    isHost: true,
    matchesHost,
    matches(url) {
      const target = parseTarget(url);
      return target !== null && matchesHost(target);
    },
    requestPatterns: ["", ":*"].map((anyPort) => ({
      urlPattern: `*://${wildcard ?? ""}${hostname}${anyPort}/*`,
    })),
    webSocketSource: `^wss?://${wildcard === undefined ? "" : "[^/]+[.]"}${literal(hostname)}:${port ?? "\\d+"}/`,
  };
}

function urlPattern(item: string): UrlPattern {
  // browsers write scheme and host in lower case
  const pattern = item.replace(/^[a-z]+:\/\/[^/?#*]*/i, (origin) => origin.toLowerCase());
  const parts = pattern.split("*");
  const [start = ""] = parts;
  return {
    isHost: false,
    matchesHost: () => false,
    matches: (url) => matchesWildcards(url, parts),
    requestPatterns: [{ urlPattern: `${start.replaceAll(/[\\?]/g, String.raw`\$&`)}*` }],
    webSocketSource: `^${parts.map(literal).join(".*")}$`,
  };
}

/**
 * Returns whether `text` consists of the parts in this order, with any text between them. Takes linear time per part,
 * because a caller's pattern could block the process as a regular expression.
 */
function matchesWildcards(text: string, parts: readonly string[]): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const endIndex = text.length - last.length;
  let index = first.length;
  for (const part of rest) {
    const partIndex = text.indexOf(part, index);
    if (partIndex === -1) return false;
    index = partIndex + part.length;
  }
  return index <= endIndex;
}

function literal(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
