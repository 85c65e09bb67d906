import { modeOf, secretsIn, type SnapParameters } from "@snap/protocol";
import { LRUCache } from "lru-cache";
import type { Ability } from "../ports/tokens.ts";
import { classifyTarget, type TargetVerdict } from "../targets/target.ts";
import type { TargetPolicy } from "../targets/policy.ts";
import type { CacheKey } from "./cache-key.ts";
import { parseParameters, parseQuery } from "./parse.ts";
import { requireInstalled, type InstalledFeatures } from "./require-installed.ts";

/** A request's query, parsed or as text, or an object with real booleans and numbers. */
export type SentParameters = URLSearchParams | string | Readonly<Record<string, unknown>>;

/** A request's content, independent of its caller. */
export interface ParsedRequest {
  readonly parameters: Readonly<SnapParameters>;
  /** The rendering's cache key within an account. */
  readonly key: string;
  readonly mode: Ability;
  /** Result of checking `url` before name resolution. */
  readonly verdict: TargetVerdict;
}

/**
 * Identical requests are frequent, so parsed queries are cached. Those with secrets are not, because they would stay in
 * memory. Nor are those whose target is not allowed, because this machine's addresses change.
 */
const CACHE_LIMITS = { queries: 2_000, characters: 2_000_000 } as const;

export interface ParserDependencies {
  readonly policy: TargetPolicy;
  readonly renderer: InstalledFeatures;
  readonly cacheKey: CacheKey;
}

/**
 * Creates a request parser, which caches the results of valid queries by their text. It throws as `parseQuery` does,
 * and `validation_failed` for valid parameters that require something not installed.
 */
export function createParser({
  policy,
  renderer,
  cacheKey,
}: ParserDependencies): (sent: SentParameters) => ParsedRequest {
  const cache = new LRUCache<string, ParsedRequest>({
    max: CACHE_LIMITS.queries,
    maxSize: CACHE_LIMITS.characters,
    sizeCalculation: (_, text) => text.length + 1,
  });
  const toParsedRequest = (parameters: SnapParameters): ParsedRequest => {
    requireInstalled(parameters, renderer);
    return {
      parameters: Object.freeze(parameters),
      mode: modeOf(parameters),
      key: cacheKey(parameters),
      verdict: classifyTarget(parameters.url, policy),
    };
  };
  return (sent) => {
    const isQuery = typeof sent === "string" || sent instanceof URLSearchParams;
    if (!isQuery) return toParsedRequest(parseParameters(sent));
    const text = String(sent);
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const parsed = toParsedRequest(parseQuery(new URLSearchParams(sent)));
    if (parsed.verdict === "ok" && secretsIn(parsed.parameters).length === 0) cache.set(text, parsed);
    return parsed;
  };
}
