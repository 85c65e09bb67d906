import type { ResponseConfig } from "@asteasolutions/zod-to-openapi";
import { CONTENT_TYPES } from "@snap/engine/internals";
import { ERROR_CODES, type ErrorCode } from "@snap/protocol";
import { errorExample } from "./error-examples.ts";
import { renderingDocument } from "./rendering-schemas.ts";
import { RATE_LIMIT_HEADERS, CREDIT_HEADERS, headerReferences, type HeaderName } from "./headers.ts";

/** Any request can fail with these: it is malformed, late or too large, or the service fails or is stopping. */
const COMMON_CODES = [
  "bad_request",
  "request_timeout",
  "payload_too_large",
  "request_header_fields_too_large",
  "server_error",
  "not_ready",
] as const satisfies readonly ErrorCode[];

/** Authentication with a bearer token can fail with these. */
const BEARER_CODES = ["unauthenticated", "account_suspended"] as const satisfies readonly ErrorCode[];

/** Every capture can fail with these, whatever the entry point. */
const CAPTURE_CODES = [
  "no_active_plan",
  "credit_limit_reached",
  "email_unverified",
  "missing_ability",
  "validation_failed",
  "invalid_url",
  "blocked_host",
  "target_unreachable",
  "rate_limited",
  "render_failed",
  "upstream_error",
  "upstream_quota_exceeded",
  "upstream_rate_limited",
  "render_timeout",
  "script_failed",
] as const satisfies readonly ErrorCode[];

/** Error codes of each operation. Unknown methods and paths have no operation; the introduction names their codes. */
export const CODES = {
  snap: [...COMMON_CODES, ...BEARER_CODES, ...CAPTURE_CODES, "store_failed"],
  signed: [...COMMON_CODES, "invalid_signature", "account_suspended", "signed_url_expired", ...CAPTURE_CODES],
  submit: [
    ...COMMON_CODES,
    ...BEARER_CODES,
    "email_unverified",
    "missing_ability",
    "validation_failed",
    "blocked_host",
    "idempotency_mismatch",
    "rate_limited",
  ],
  upload: [
    ...COMMON_CODES,
    ...BEARER_CODES,
    "email_unverified",
    "validation_failed",
    "rate_limited",
    "upstream_rate_limited",
  ],
  list: [...COMMON_CODES, ...BEARER_CODES, "email_unverified", "not_found", "validation_failed"],
  resend: [
    ...COMMON_CODES,
    ...BEARER_CODES,
    "email_unverified",
    "not_found",
    "validation_failed",
    "rate_limited",
  ],
  poll: [...COMMON_CODES, ...BEARER_CODES, "email_unverified", "not_found"],
  usage: [...COMMON_CODES, ...BEARER_CODES, "rate_limited"],
  description: COMMON_CODES,
  signIn: [...COMMON_CODES, "unauthenticated", "forbidden", "validation_failed"],
  admin: [...COMMON_CODES, "unauthenticated", "forbidden", "validation_failed", "not_found"],
} as const satisfies Record<string, readonly ErrorCode[]>;

const RENDERING_HEADERS = ["ETag", "X-Cache", "X-Target-Status", "X-Render-Notes"] as const;

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: "Malformed HTTP request.",
  401: "The bearer token, console session or sign-in link is missing, unknown, expired or revoked.",
  402: "No active plan, or no credits left in the period. Counts against the render limit.",
  403: "The account is suspended, its email address is not verified, the token lacks the ability for the mode, a console session is used by another origin, or a signed URL has expired or has an invalid signature.",
  404: "Unknown id, or a batch or document that belongs to another account, was deleted or has expired.",
  408: "The request did not arrive in time.",
  413: "The request body is too large, or a document has too many files or is too large when unpacked.",
  422: "Invalid parameters, a URL or target that cannot be rendered, a script that failed, or the idempotency key of another submission; nothing is charged.",
  429: "A per-minute limit is exceeded. With a bearer token, the rate-limit headers describe that limit.",
  431: "Request line and headers are larger than 64 KiB, or there are too many headers.",
  500: "The render or the service failed; refunded.",
  502: "The browser or name resolution failed, the quota of the remote browser service is used up, or the store did not accept the rendering; refunded.",
  503: "The service is busy or stopping; refunded.",
  504: "The render timed out; refunded.",
};

/** A file of any type. */
export const binary = { schema: { type: "string", contentMediaType: "application/octet-stream" } } as const;

const NOT_MODIFIED =
  "The rendering is byte-identical to one named in `If-None-Match`. From the cache it costs nothing and counts against no limit; if it had to be rendered, it costs the same as a 200.";

const FILE_DESCRIPTION = "The file itself; `Content-Type` is the rendered format.";

/** Successful responses of `GET /snap` and `POST /captures`. */
export const RENDERING_RESPONSES: Record<string, ResponseConfig> = renderingResponses({
  names: [...RENDERING_HEADERS, "X-Stored-Location", ...CREDIT_HEADERS, ...RATE_LIMIT_HEADERS],
  rendered: `${FILE_DESCRIPTION} With \`answer=json\`, the metadata of the file, without \`ETag\`.`,
  notModified: `${NOT_MODIFIED} With \`storeTo\`, it counts as a cache hit. The rate-limit headers are present only if it had to be rendered or stored.`,
  documents: { "application/json": { schema: renderingDocument } },
});

/** Successful responses of `GET /snap/signed`, without the account's credits and limits. */
export const SIGNED_RENDERING_RESPONSES: Record<string, ResponseConfig> = renderingResponses({
  names: RENDERING_HEADERS,
  rendered: FILE_DESCRIPTION,
  notModified: NOT_MODIFIED,
  documents: {},
});

function renderingResponses({
  names,
  rendered,
  notModified,
  documents,
}: {
  readonly names: readonly HeaderName[];
  readonly rendered: string;
  readonly notModified: string;
  readonly documents: NonNullable<ResponseConfig["content"]>;
}): Record<string, ResponseConfig> {
  const headers = headerReferences(names);
  return {
    "200": {
      description: rendered,
      headers,
      content: { ...Object.fromEntries(CONTENT_TYPES.map((type) => [type, binary])), ...documents },
    },
    "304": { description: notModified, headers },
  };
}

/** Whether an operation requires a bearer token, and reads a body after authentication. */
interface OperationTraits {
  readonly bearer: boolean;
  readonly readsBody?: true;
}

/** One response per status in `codes`, listing its codes with an example of each. */
export function errorResponses(
  codes: readonly ErrorCode[],
  traits: OperationTraits,
): Record<string, ResponseConfig> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const sorted = Array.from(byStatus).toSorted(([left], [right]) => left - right);
  return Object.fromEntries(
    sorted.map(([status, ofStatus]) => [String(status), errorResponse(status, ofStatus, traits)]),
  );
}

function errorResponse(status: number, codes: readonly ErrorCode[], traits: OperationTraits): ResponseConfig {
  return {
    description: DESCRIPTIONS[status] ?? codes.join(", "),
    headers: headerReferences(errorHeaders(status, codes, traits)),
    content: {
      "application/json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/ErrorEnvelope" },
            { type: "object", properties: { code: { type: "string", enum: [...codes] } } },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
      },
    },
  };
}

function errorHeaders(
  status: number,
  codes: readonly ErrorCode[],
  { bearer, readsBody }: OperationTraits,
): HeaderName[] {
  const precedesAuthentication =
    [400, 401, 408, 431].includes(status) || (status === 413 && readsBody !== true);
  const retryable = codes.some((code) => status === 429 || "retryAfterSeconds" in ERROR_CODES[code]);
  return [
    ...(bearer && !precedesAuthentication ? CREDIT_HEADERS : []),
    ...(bearer && status === 429 ? RATE_LIMIT_HEADERS : []),
    ...(retryable ? (["Retry-After"] as const) : []),
    ...(codes.includes("render_failed") ? (["X-Render-Notes"] as const) : []),
    ...(status === 401 ? (["WWW-Authenticate"] as const) : []),
  ];
}
