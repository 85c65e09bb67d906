import { LIMITS } from "../../limits.ts";
import { BOTH, type Row } from "../row.ts";

export const CACHE_ROWS: readonly Row[] = [
  {
    name: "cache",
    modes: BOTH,
    kind: "flag",
    default: true,
    description: "Whether to use a cached rendering, and to cache a new one; `false` renders again.",
    example: true,
  },
  {
    name: "cacheTtl",
    modes: BOTH,
    kind: "integer",
    min: LIMITS.cacheTtlMinSeconds,
    max: LIMITS.cacheTtlMaxSeconds,
    implied: LIMITS.cacheTtlDefaultSeconds,
    excludes: [{ names: ["cache"], called: "cache=false" }],
    description: `Seconds to cache the rendering; ${LIMITS.cacheTtlDefaultSeconds} by default. Cannot be combined with \`cache\` false.`,
    example: 3600,
  },
];
