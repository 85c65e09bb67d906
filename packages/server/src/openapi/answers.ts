import type { ResponseConfig } from "@asteasolutions/zod-to-openapi";
import { ERROR_CODES, type ErrorCode } from "@snap/protocol";
import { BUDGET_HEADERS, CREDIT_HEADERS, headerReferences, type HeaderName } from "./headers.ts";

/** Can meet any request: the process stops, or what arrived is no request. */
const ON_EVERY_PATH = [
  "bad_request",
  "request_timeout",
  "payload_too_large",
  "request_header_fields_too_large",
  "server_error",
  "not_ready",
] as const satisfies readonly ErrorCode[];

/** What can come of a capture, whoever asks for it. */
const OF_A_CAPTURE = [
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
] as const satisfies readonly ErrorCode[];

/** The codes of each operation. Wrong methods and paths have no operation: the introduction names their codes. */
export const CODES = {
  snap: [...ON_EVERY_PATH, "unauthenticated", ...OF_A_CAPTURE],
  signed: [...ON_EVERY_PATH, "invalid_signature", "signed_url_expired", ...OF_A_CAPTURE],
  submit: [
    ...ON_EVERY_PATH,
    "unauthenticated",
    "email_unverified",
    "missing_ability",
    "validation_failed",
    "blocked_host",
    "rate_limited",
  ],
  poll: [...ON_EVERY_PATH, "unauthenticated", "email_unverified", "not_found"],
  usage: [...ON_EVERY_PATH, "unauthenticated", "rate_limited"],
  description: ON_EVERY_PATH,
} as const satisfies Record<string, readonly ErrorCode[]>;

const RENDERING_HEADERS = ["ETag", "X-Cache", "X-Target-Status", "X-Render-Notes"] as const;

const MEANINGS: Readonly<Record<number, string>> = {
  400: "Malformed HTTP request.",
  401: "The bearer token is missing, unknown, expired or revoked.",
  402: "No active plan, or no credits left in the period. Counts against the render limit.",
  403: "The e-mail address is not verified, the token lacks the ability for the mode, or the signature of a signed URL is invalid or expired.",
  404: "Unknown id, a batch of another account, or a deleted batch.",
  408: "The request did not arrive in time.",
  413: "The request body is too large.",
  422: "Invalid parameters, or a URL or target that cannot be rendered; nothing is charged.",
  429: "Over a per-minute limit. With a bearer token, the rate-limit headers describe that limit.",
  431: "Request line and headers are larger than 64 KiB.",
  500: "The render or the service failed; refunded.",
  502: "The rendering backend failed or is out of capacity; refunded.",
  503: "The service is busy or stopping; refunded.",
  504: "The render timed out; refunded.",
};

const binary = { schema: { type: "string", contentMediaType: "application/octet-stream" } } as const;

const FREE_WHEN_CACHED =
  "The rendering is byte-identical to one named in `If-None-Match`. From the cache it costs nothing and counts against no limit; if it had to be rendered, it costs the same as a 200.";

/** `GET /snap` when it succeeds. */
export const RENDERING_ANSWERS: Record<string, ResponseConfig> = renderingAnswers(
  [...RENDERING_HEADERS, ...CREDIT_HEADERS, ...BUDGET_HEADERS],
  `${FREE_WHEN_CACHED} The rate-limit headers are present only if it had to be rendered.`,
);

/** `GET /snap/signed` when it succeeds: nothing about credits and limits of the owner. */
export const SIGNED_RENDERING_ANSWERS: Record<string, ResponseConfig> = renderingAnswers(
  RENDERING_HEADERS,
  FREE_WHEN_CACHED,
);

function renderingAnswers(names: readonly HeaderName[], unchanged: string): Record<string, ResponseConfig> {
  const headers = headerReferences(names);
  return {
    "200": {
      description: "The file itself; `Content-Type` is the rendered format.",
      headers,
      content: {
        "image/png": binary,
        "image/jpeg": binary,
        "image/webp": binary,
        "application/pdf": binary,
      },
    },
    "304": { description: unchanged, headers },
  };
}

/** What an operation takes: a bearer token, and a body once it is known whose token it is. */
interface Intake {
  readonly bearer: boolean;
  readonly readsBody?: true;
}

/** One answer for each status among `codes`, with the codes that it can carry. */
export function errorAnswers(codes: readonly ErrorCode[], intake: Intake): Record<string, ResponseConfig> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const sorted = Array.from(byStatus).toSorted(([left], [right]) => left - right);
  return Object.fromEntries(
    sorted.map(([status, ofStatus]) => [String(status), errorAnswer(status, ofStatus, intake)]),
  );
}

function errorAnswer(status: number, codes: readonly ErrorCode[], intake: Intake): ResponseConfig {
  return {
    description: MEANINGS[status] ?? codes.join(", "),
    headers: headerReferences(errorHeaders(status, codes, intake)),
    content: {
      "application/json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/ErrorEnvelope" },
            { type: "object", properties: { code: { type: "string", enum: [...codes] } } },
          ],
        },
      },
    },
  };
}

function errorHeaders(
  status: number,
  codes: readonly ErrorCode[],
  { bearer, readsBody }: Intake,
): HeaderName[] {
  const beforeTheToken = [400, 401, 408, 431].includes(status) || (status === 413 && readsBody !== true);
  const retryable = codes.some((code) => status === 429 || "retryAfterSeconds" in ERROR_CODES[code]);
  return [
    ...(bearer && !beforeTheToken ? CREDIT_HEADERS : []),
    ...(bearer && status === 429 ? BUDGET_HEADERS : []),
    ...(retryable ? (["Retry-After"] as const) : []),
    ...(status === 401 ? (["WWW-Authenticate"] as const) : []),
  ];
}
