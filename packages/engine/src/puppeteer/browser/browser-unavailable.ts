import { parseRetryAfter } from "@snap/protocol";

/** Error codes of a render that found no browser. */
export type UnavailableCode = "upstream_error" | "upstream_rate_limited" | "upstream_quota_exceeded";

/**
 * No browser is currently available. The message is for the operator and contains no secrets from the endpoint's URL.
 */
export class BrowserUnavailable extends Error {
  override readonly name = "BrowserUnavailable";
  readonly code: UnavailableCode;
  /** From the response's `Retry-After`; `null` if it had none, and for `upstream_error`. */
  readonly retryAfterMs: number | null;

  constructor(message: string, code: UnavailableCode = "upstream_error", retryAfterMs: number | null = null) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** An HTTP error response from a browser's endpoint. */
export interface ErrorResponse {
  /** Scheme, host and port of the endpoint. */
  readonly origin: string;
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Start of the body. Never shown, because it may repeat the endpoint's URL with its secrets. */
  readonly body: string;
}

const MEANINGS: Readonly<Record<number, string>> = {
  401: "the token or password in its URL is not accepted",
  402: "its quota is exhausted",
  403: "access is denied",
  404: "no browser at this path",
  429: "too many sessions",
  500: "if it is Chrome itself, use its IP address instead of its host name",
  503: "it is busy",
};

/** Maps an endpoint's HTTP error response to an error. */
export function explainResponse({ origin, status, retryAfter, body }: ErrorResponse): BrowserUnavailable {
  const code = codeOf(status, body);
  const meaning = code === "upstream_quota_exceeded" ? MEANINGS[402] : MEANINGS[status];
  const message = `${origin} returned ${status}${meaning === undefined ? "" : `: ${meaning}`}`;
  const isTemporary = code !== "upstream_error";
  return new BrowserUnavailable(message, code, isTemporary ? parseRetryAfter(retryAfter, Date.now()) : null);
}

/** Some providers return 403 or 429 when the period's quota is used up. */
function codeOf(status: number, body: string): UnavailableCode {
  if (status === 402) return "upstream_quota_exceeded";
  if ((status === 403 || status === 429) && /\bquota\b/i.test(body)) return "upstream_quota_exceeded";
  return status === 429 || status === 503 ? "upstream_rate_limited" : "upstream_error";
}
