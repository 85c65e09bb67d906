/** Every bound of the HTTP side. */
export const HTTP_BOUNDS = {
  /** Node allows 16 KiB; an address of 2,048 CJK characters takes 18 KB percent-encoded (faults.md). */
  headerBytes: 64 * 1024,
  /** Headers arrive in one packet or two; who takes longer holds a connection for nothing. */
  headersMs: 15_000,
  /** For a whole request, a body included. A render takes place after it, and has its own budget. */
  requestMs: 30_000,
  /** Longer than the 60 s of common load balancers: they close first, and never onto a closed socket. */
  keepAliveMs: 65_000,
  /** How often the two limits of time are looked at. */
  connectionCheckMs: 5_000,
  /** An answer that is not read stays in memory; a stream says something every 15 s. */
  unreadMs: 30_000,
  /** `payload_too_large`, docs/decisions/http-and-errors.md. */
  bodyBytes: 256 * 1024,
  /** Read on up to here before a refusal, so that a client which sends first reads it. */
  discardedBytes: 1024 * 1024,
  /** For renders that run (45 s each) and most of those that wait for a turn. */
  drainMs: 90_000,
  /** For what is being written when the listener closes. */
  closeMs: 1_000,
} as const;
