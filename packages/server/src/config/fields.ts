import { parsePlans, parseTargetList, parseUpstreamProxy, type ListedTarget, type Plan } from "@snap/engine";
import {
  type BrowserEndpoint,
  isHostName,
  isUnspecifiedAddress,
  isUserAgent,
  messageOf,
  parseBrowserUrls,
  parseNoProxy,
} from "@snap/engine/internals";
import { readFileSync } from "node:fs";
import { isIP, isIPv4, isIPv6 } from "node:net";
import { resolve } from "node:path";
import * as z from "zod";
import type { TrustedProxies } from "../requests/caller.ts";
import { oneOf } from "../requests/fields.ts";
import { readDuration } from "./duration.ts";

/*
 * One validator for each kind of variable. Each parses a string, and its error message says what is valid.
 */

/** More than any disk or memory, and the highest number that `wholeNumber` reads. */
export const MAX_BYTES = 999_999_999_999_999;

export function wholeNumber({ min, max }: { readonly min: number; readonly max: number }): z.ZodType<number> {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, { error, abort: true })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
}

export function onOrOff(): z.ZodType<boolean> {
  return oneOf("on", "off").transform((value) => value === "on");
}

export function path(): z.ZodType<string> {
  return z.string().transform((text) => resolve(text));
}

/** Parses to milliseconds; the limits are durations such as `90s`. */
export function duration({ min, max }: { readonly min: string; readonly max: string }): z.ZodType<number> {
  const error = `must be a duration from ${min} to ${max}: a whole number with a unit (ms, s, m, h or d), such as 90s or 7d`;
  return z.string().transform((text, context) => {
    const durationMs = readDuration(text);
    if (durationMs !== null && durationMs >= inMs(min) && durationMs <= inMs(max)) return durationMs;
    context.addIssue(error);
    return z.NEVER;
  });
}

/** Like `duration`, but also accepts a word, which means `null`. */
export function durationOr(word: string, limits: Parameters<typeof duration>[0]): z.ZodType<number | null> {
  const durations = duration(limits);
  return z.string().transform((text, context) => {
    if (text === word) return null;
    const { data, error } = durations.safeParse(text);
    if (data !== undefined) return data;
    context.addIssue(`${error?.issues[0]?.message}; or ${word}`);
    return z.NEVER;
  });
}

function inMs(limit: string): number {
  const limitMs = readDuration(limit);
  if (limitMs === null) throw new Error(`${limit} is not a duration`);
  return limitMs;
}

const MAX_RETRY_DELAYS = 20;
const MAX_RETRY_DELAY = "30d";

/**
 * Retry delays, in milliseconds. A leading `0s` means the first attempt and is dropped; `0s` alone
 * means a single attempt.
 */
export function retryDelays(): z.ZodType<readonly number[]> {
  const error =
    `must be at most ${MAX_RETRY_DELAYS} retry delays separated by commas, each up to ${MAX_RETRY_DELAY}, ` +
    "such as 5s,5m,30m,2h; use 0s alone for no retries";
  return z.string().transform((text, context) => {
    const [first = "", ...rest] = text.split(",").map((part) => part.trim());
    const texts = readDuration(first) === 0 ? rest : [first, ...rest];
    const delaysMs = texts.map((part) => readDuration(part) ?? 0);
    const isValid = delaysMs.every((delayMs) => delayMs > 0 && delayMs <= inMs(MAX_RETRY_DELAY));
    if (isValid && delaysMs.length <= MAX_RETRY_DELAYS) return delaysMs;
    context.addIssue(error);
    return z.NEVER;
  });
}

/** Host to listen on. */
export function hostName(): z.ZodType<string> {
  return z.string().refine(isHostName, {
    error:
      "must be an IP address or a host name without a scheme or port, such as 127.0.0.1, ::1, 0.0.0.0 " +
      "or localhost",
  });
}

/** Host where other machines can reach this process. */
export function reachableHostName(): z.ZodType<string> {
  return z.string().refine((text) => isHostName(text) && !isUnspecifiedAddress(text), {
    error:
      "must be an IP address or host name at which other machines can reach this process, without a scheme " +
      "or port, such as 10.0.0.5, fd00::5 or snap-1; 0.0.0.0 and :: are not allowed",
  });
}

/** `http://` or `https://`, a host and an optional port; no path, query or credentials. */
export function origin(): z.ZodType<string> {
  return z.string().transform((text, context) => {
    const url = URL.parse(text);
    if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
    context.addIssue("must be an origin such as https://snap.example.com, without a path");
    return z.NEVER;
  });
}

/**
 * Base URL of a service, including any path prefix that a reverse proxy adds; returned without a trailing
 * slash.
 */
export function serviceUrl(): z.ZodType<string> {
  return z.string().transform((text, context) => {
    const url = URL.parse(text);
    const hasMore = url !== null && url.username + url.password + url.search + url.hash !== "";
    if (url !== null && /^https?:$/.test(url.protocol) && !hasMore)
      return (url.origin + url.pathname).replace(/\/+$/, "");
    context.addIssue(
      "must be the URL of a service, such as https://snap.example.com, without credentials, " +
        "a query or a fragment",
    );
    return z.NEVER;
  });
}

export function targetList(): z.ZodType<readonly ListedTarget[]> {
  return parsed(parseTargetList);
}

/** URL of a proxy; may contain credentials. */
export function upstreamProxy(): z.ZodType<string> {
  return parsed((url) => {
    parseUpstreamProxy({ url });
    return url;
  });
}

/** The syntax of `NO_PROXY`. */
export function noProxy(): z.ZodType<string> {
  return parsed((text) => {
    parseNoProxy(text);
    return text;
  });
}

export function userAgent(): z.ZodType<string> {
  return z.string().refine(isUserAgent, {
    error: "must be 1 to 512 printable ASCII characters, without leading or trailing spaces",
  });
}

/** Parses a value with `parse`; if it throws, the error's message becomes the issue. */
function parsed<T>(parse: (text: string) => T): z.ZodType<T> {
  return z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue(messageOf(error));
      return z.NEVER;
    }
  });
}

/** Addresses of name servers, each with an optional port, separated by commas. */
export function nameServers(): z.ZodType<readonly string[]> {
  return z.string().transform((text, context) => {
    const servers = text.split(",").map((server) => server.trim());
    const wrong = servers.find((server) => !isNameServer(server));
    if (wrong === undefined) return servers;
    context.addIssue(
      `"${wrong}" is not a valid name server address; use, for example, 10.0.0.53, 127.0.0.1:5353 or ` +
        "[fd00::53]:5353",
    );
    return z.NEVER;
  });
}

function isNameServer(text: string): boolean {
  const [, ipv6 = "", ipv4 = "", port = "53"] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  // a resolver drops the zone of fe80::1%eth0
  const isAddress = (isIP(text) !== 0 || isIPv6(ipv6) || isIPv4(ipv4)) && !text.includes("%");
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535;
}

/** The addresses that Express can parse: not 64:ff9b::1.2.3.4, nor one with a zone such as br-0. */
const PROXY_ADDRESS = /^((::ffff:)?[\d.]+|[\da-f:]+(%[\da-z]+)?)$/i;
/** Express's named address ranges. */
const PROXY_RANGES: ReadonlySet<string> = new Set(["loopback", "linklocal", "uniquelocal"]);
const MAX_PROXY_HOPS = 16;

/** A number of hops, or addresses and CIDR blocks, separated by commas. */
export function trustedProxies(): z.ZodType<TrustedProxies> {
  const error =
    `must be the number of proxies in front of the service (1 to ${MAX_PROXY_HOPS}), or their addresses or ` +
    "CIDR blocks, such as loopback, 10.0.0.5 or 10.0.0.0/8,fd00::/8";
  return z.string().transform((text, context) => {
    const hops = /^\d{1,2}$/.test(text) ? Number(text) : null;
    if (hops !== null && hops >= 1 && hops <= MAX_PROXY_HOPS) return hops;
    const ranges = text.split(",").map((range) => range.trim());
    if (hops === null && ranges.every(isProxyRange)) return ranges;
    context.addIssue(error);
    return z.NEVER;
  });
}

function isProxyRange(text: string): boolean {
  if (PROXY_RANGES.has(text)) return true;
  const [, address = "", prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = PROXY_ADDRESS.test(address) ? isIP(address) : 0;
  const bits = prefix === undefined ? null : Number(prefix);
  // a range that covers every address would trust every client
  return version !== 0 && (bits === null || (bits >= 1 && bits <= (version === 4 ? 32 : 128)));
}

/** DevTools endpoints, separated by commas: `ws://`, `wss://`, `http://` or `https://`. */
export function browserUrls(): z.ZodType<readonly BrowserEndpoint[]> {
  return parsed((text) => parseBrowserUrls(text.split(",")));
}

export function plansFile(): z.ZodType<readonly Plan[]> {
  return z.string().transform((file, context) => {
    try {
      return parsePlans(JSON.parse(readFileSync(file, "utf8")));
    } catch (error) {
      context.addIssue(
        `must be a JSON file like [{"slug":"team","name":"Team","creditsPerPeriod":5000,"requestsPerMinute":30}]: ${messageOf(error)}`,
      );
      return z.NEVER;
    }
  });
}

/**
 * URL of a storage server; may contain credentials. Spaces around it are dropped: the PostgreSQL
 * driver would read the whole text as the name of a database. `host` and `port` in the query are
 * rejected, because pages are blocked only from those before the path.
 */
export function serverUrl({
  schemes,
  example,
}: {
  readonly schemes: readonly [string, ...string[]];
  readonly example: string;
}): z.ZodType<string> {
  return z
    .string()
    .trim()
    .refine(
      (text) => {
        const url = URL.parse(text);
        return url !== null && schemes.includes(url.protocol.slice(0, -1)) && url.hostname !== "";
      },
      {
        error: `must be a ${schemes.map((scheme) => `${scheme}://`).join(" or ")} URL, such as ${example}`,
        abort: true,
      },
    )
    .refine((text) => !overridesServer(new URL(text).searchParams), {
      error: "must have the host and the port before the path, not in the query",
    });
}

/** A host that is a path names a socket, which pages cannot reach. */
function overridesServer(query: URLSearchParams): boolean {
  return query.has("port") || query.getAll("host").some((host) => !host.startsWith("/"));
}
