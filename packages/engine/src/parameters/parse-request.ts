import type { SnapParameters } from "@snap/protocol";
import { LRUCache } from "lru-cache";
import type { Ability } from "../ports/tokens.ts";
import { classifyTarget, type TargetVerdict } from "../targets/target.ts";
import type { TargetPolicy } from "../targets/policy.ts";
import { cacheKey } from "./cache-key.ts";
import { parseParameters, parseQuery } from "./parse.ts";

/** The query of a request, parsed or as text, or an object with real booleans and numbers. */
export type SentParameters = URLSearchParams | string | Readonly<Record<string, unknown>>;

/** The content of a request, independent of its caller. */
export interface ParsedRequest {
  readonly parameters: Readonly<SnapParameters>;
  /** Cache key of the rendering, within an account. */
  readonly key: string;
  readonly mode: Ability;
  /** Result of the check of `url` before name resolution. */
  readonly verdict: TargetVerdict;
}

/** Identical requests are frequent, so parsed queries are cached. */
const CACHE_LIMITS = { queries: 2_000, characters: 2_000_000 } as const;

/**
 * Creates a parser of requests, which caches the results of valid queries by their text. It throws as `parseQuery` does.
 */
export function createParser(policy: TargetPolicy): (sent: SentParameters) => ParsedRequest {
  const cache = new LRUCache<string, ParsedRequest>({
    max: CACHE_LIMITS.queries,
    maxSize: CACHE_LIMITS.characters,
    sizeCalculation: (_, text) => text.length + 1,
  });
  const describe = (parameters: SnapParameters): ParsedRequest => ({
    parameters: Object.freeze(parameters),
    mode: parameters.pdf ? "pdf" : "screenshot",
    key: cacheKey(parameters),
    verdict: classifyTarget(parameters.url, policy),
  });
  return (sent) => {
    const isQuery = typeof sent === "string" || sent instanceof URLSearchParams;
    if (!isQuery) return describe(parseParameters(sent));
    const text = String(sent);
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const parsed = describe(parseQuery(new URLSearchParams(sent)));
    cache.set(text, parsed);
    return parsed;
  };
}
