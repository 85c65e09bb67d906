import { RENDER_NOTES, type HEADERS } from "@snap/protocol";

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

/** The response headers that the descriptions document, each described once. */
export const HEADER_COMPONENTS: Readonly<Record<HeaderName, HeaderComponent>> = {
  "X-Request-Id": {
    description: "Id of this response; on every response.",
    required: true,
    schema: { type: "string", format: "uuid" },
  },
  "X-Credits-Limit": { description: "Credits granted for the current period.", schema: integer },
  "X-Credits-Remaining": {
    description: "Credits left after this request, including any refund.",
    schema: integer,
  },
  "X-Credits-Reset": {
    description: "Unix time in seconds of the next grant; absent for an account without a period.",
    schema: integer,
  },
  "X-Cache": {
    description:
      "`HIT`: served from the cache, no credit. `MISS`: rendered now, and cached if it fits. Absent with `cache=0`.",
    schema: { type: "string", enum: ["HIT", "MISS"] },
  },
  ETag: {
    description: "Quoted digest of the body, for `If-None-Match`.",
    schema: { type: "string", pattern: '^"[0-9a-f]{64}"$' },
  },
  "X-Target-Status": {
    description:
      "HTTP status of the page itself. Screenshots only; absent if unknown, which does not mean 200.",
    schema: integer,
  },
  "X-Render-Notes": {
    description: `Notes on the render, separated by commas: ${Object.keys(RENDER_NOTES)
      .map((note) => `\`${note}\``)
      .join(", ")}. More may be added.`,
    schema: { type: "string" },
  },
  "X-Stored-Location": {
    description:
      "Where the rendering was stored: `s3://bucket/key`, percent-encoded. Absent without `storeTo`.",
    schema: { type: "string", format: "uri" },
  },
  "X-RateLimit-Limit": {
    description: "The per-minute limit that the request counted against; on 429, the limit that it exceeded.",
    schema: integer,
  },
  "X-RateLimit-Remaining": {
    description: "Requests left under that limit in the current minute.",
    schema: integer,
  },
  "Retry-After": { description: "Seconds to wait before a retry.", schema: integer },
  "Cache-Control": {
    description:
      "`private, no-cache` on a rendering, `no-cache` on `/openapi.json` and `/postman.json`, `no-store` on errors and all other JSON responses. On a signed rendering, `public` with a `max-age` until the rendering or the URL expires, or `no-store` with `cache=0`.",
    schema: { type: "string" },
  },
  Location: {
    description: "URL of the document, or of the batch, for polling.",
    schema: { type: "string", format: "uri" },
  },
  "WWW-Authenticate": { description: "The authentication scheme: `Bearer`.", schema: { type: "string" } },
};

export const CREDIT_HEADERS = ["X-Credits-Limit", "X-Credits-Remaining", "X-Credits-Reset"] as const;
export const RATE_LIMIT_HEADERS = ["X-RateLimit-Limit", "X-RateLimit-Remaining"] as const;

/** References to the headers of one response, including the two that every response has. */
export function headerReferences(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  const all: readonly HeaderName[] = ["X-Request-Id", "Cache-Control", ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
