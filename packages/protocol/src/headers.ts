/** Names of the headers of the contract (interface.md, GET /snap). */
export const HEADERS = {
  requestId: "X-Request-Id",
  creditsLimit: "X-Credits-Limit",
  creditsRemaining: "X-Credits-Remaining",
  creditsReset: "X-Credits-Reset",
  cache: "X-Cache",
  targetStatus: "X-Target-Status",
  rateLimitLimit: "X-RateLimit-Limit",
  rateLimitRemaining: "X-RateLimit-Remaining",
  retryAfter: "Retry-After",
  /** Additive: remarks on how a rendering came about, such as `wait-capped`. */
  renderNotes: "X-Render-Notes",
} as const;
