import { parseRetryAfter } from "../../egress/retry-after.ts";

/** The codes of a browser that can't be had (interface.md, Errors). */
export type UnavailableCode = "upstream_error" | "upstream_rate_limited" | "upstream_quota_exceeded";

/** No browser for the time being. The message is for the operator, and holds no secret of its address. */
export class BrowserUnavailable extends Error {
  override readonly name = "BrowserUnavailable";
  readonly code: UnavailableCode;
  /** What it asked us to wait; `null` when it didn't say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, code: UnavailableCode = "upstream_error", retryAfterMs: number | null = null) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** An answer other than the one that was hoped for. */
export interface RefusingAnswer {
  /** Who answered: scheme, host and port. */
  readonly origin: string;
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Its beginning; looked at, never shown: it may repeat the address. */
  readonly body: string;
}

const MEANINGS: Readonly<Record<number, string>> = {
  401: "the token or password in its URL is not accepted",
  402: "its quota is exhausted",
  403: "access is denied",
  404: "no browser at this path",
  429: "too many sessions",
  500: "Chrome rejects requests by host name; use its IP address",
  503: "it is busy",
};

/** What an endpoint means that answers a connection with a status of HTTP. */
export function explainRefusal({ origin, status, retryAfter, body }: RefusingAnswer): BrowserUnavailable {
  const code = codeOf(status, body);
  const meaning = code === "upstream_quota_exceeded" ? MEANINGS[402] : MEANINGS[status];
  const message = `${origin} returned ${status}${meaning === undefined ? "" : `: ${meaning}`}`;
  const waits = code !== "upstream_error";
  return new BrowserUnavailable(message, code, waits ? parseRetryAfter(retryAfter, Date.now()) : null);
}

/** Some providers say with 403 or 429, too, that the period's units are used up. */
function codeOf(status: number, body: string): UnavailableCode {
  if (status === 402) return "upstream_quota_exceeded";
  if ((status === 403 || status === 429) && /\bquota\b/i.test(body)) return "upstream_quota_exceeded";
  return status === 429 || status === 503 ? "upstream_rate_limited" : "upstream_error";
}
