import type { SnapParameters } from "@snap/protocol";
import { LRUCache } from "lru-cache";
import type { Ability } from "../ports/tokens.ts";
import { classifyTarget, type TargetVerdict } from "../targets/target.ts";
import type { TargetPolicy } from "../targets/policy.ts";
import { cacheKey } from "./cache-key.ts";
import { parseParameters, parseQuery } from "./parse.ts";

/** The query of a request, read or as text, or an object with real booleans and numbers. */
export type SentParameters = URLSearchParams | string | Readonly<Record<string, unknown>>;

/** All that a request says by itself, whoever sends it. */
export interface ParsedRequest {
  readonly parameters: Readonly<SnapParameters>;
  /** Names the rendering, within an account. */
  readonly key: string;
  readonly mode: Ability;
  /** What the form of the address tells. */
  readonly verdict: TargetVerdict;
}

/** The same pictures are asked for again and again: their queries are read once. */
const REMEMBERED = { queries: 2_000, characters: 2_000_000 } as const;

/**
 * Reads the parameters of a request. What was understood is remembered by the text of the query;
 * mistakes are not.
 *
 * @returns a function that throws as `parseQuery` does.
 */
export function createParser(policy: TargetPolicy): (sent: SentParameters) => ParsedRequest {
  const remembered = new LRUCache<string, ParsedRequest>({
    max: REMEMBERED.queries,
    maxSize: REMEMBERED.characters,
    sizeCalculation: (_, text) => text.length + 1,
  });
  const understand = (parameters: SnapParameters): ParsedRequest => ({
    parameters: Object.freeze(parameters),
    mode: parameters.pdf ? "pdf" : "screenshot",
    key: cacheKey(parameters),
    verdict: classifyTarget(parameters.url, policy),
  });
  return (sent) => {
    const isQuery = typeof sent === "string" || sent instanceof URLSearchParams;
    if (!isQuery) return understand(parseParameters(sent));
    const text = String(sent);
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const understood = understand(parseQuery(new URLSearchParams(sent)));
    remembered.set(text, understood);
    return understood;
  };
}
