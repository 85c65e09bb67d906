import { LIMITS, type HEADERS } from "@snap/protocol";

export type HeaderName =
  (typeof HEADERS)[keyof typeof HEADERS] | "ETag" | "Cache-Control" | "Location" | "WWW-Authenticate";

interface HeaderComponent {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: {
    readonly type: "integer" | "string";
    readonly minimum?: number;
    readonly enum?: string[];
    readonly format?: string;
    readonly pattern?: string;
  };
}

const integer = { type: "integer", minimum: 0 } as const;

/** Every header of an answer, described once (interface.md, Response headers). */
export const HEADER_COMPONENTS: Readonly<Record<HeaderName, HeaderComponent>> = {
  "X-Request-Id": {
    description: "Identifies this answer; on every one.",
    required: true,
    schema: { type: "string", format: "uuid" },
  },
  "X-Credits-Limit": { description: "Credits granted for the current period.", schema: integer },
  "X-Credits-Remaining": {
    description: "Credits left after this request is accounted; a refund is in it already.",
    schema: integer,
  },
  "X-Credits-Reset": {
    description:
      "Unix timestamp in seconds when credits are granted again; absent for an account with no period.",
    schema: integer,
  },
  "X-Cache": {
    description:
      "`HIT`: nothing rendered, no credit. `MISS`: rendered now and kept. Absent when the request sent `cache=0`.",
    schema: { type: "string", enum: ["HIT", "MISS"] },
  },
  ETag: {
    description: "Quoted digest of the body; usable in `If-None-Match`.",
    schema: { type: "string", pattern: '^"[0-9a-f]{64}"$' },
  },
  "X-Target-Status": {
    description:
      "Status that the captured page answered. Screenshots only; absent when not known, which is not 200.",
    schema: integer,
  },
  "X-Render-Notes": {
    description: `Remarks on how the rendering came about, separated by commas. \`wait-capped\`: the page never got idle and was captured ${LIMITS.idleAfterLoadMaxMs / 1000} seconds after \`load\`.`,
    schema: { type: "string" },
  },
  "X-RateLimit-Limit": {
    description:
      "Size of the per-minute budget that the answer was counted against; on 429 the one that refused.",
    schema: integer,
  },
  "X-RateLimit-Remaining": {
    description: "What is left of that budget after this request.",
    schema: integer,
  },
  "Retry-After": { description: "Seconds to wait before the request is repeated.", schema: integer },
  "Cache-Control": {
    description:
      "`private, no-cache` on a rendering, `no-store` on errors and reports. On a signed rendering `public` with `max-age`, the seconds left of the rendering and of the URL; `no-store` with `cache=0`.",
    schema: { type: "string" },
  },
  Location: { description: "Where the batch is polled.", schema: { type: "string", format: "uri" } },
  "WWW-Authenticate": { description: "Names the scheme: `Bearer`.", schema: { type: "string" } },
};

export const CREDIT_HEADERS = ["X-Credits-Limit", "X-Credits-Remaining", "X-Credits-Reset"] as const;
export const BUDGET_HEADERS = ["X-RateLimit-Limit", "X-RateLimit-Remaining"] as const;

/** References to the headers of one answer; two are on each. */
export function headerReferences(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  const all: readonly HeaderName[] = ["X-Request-Id", "Cache-Control", ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
