/** Limits and timeouts of the HTTP server. */
export const HTTP_LIMITS = {
  /** Above Node's default of 16 KiB: a URL of 2,048 CJK characters takes 18 KB percent-encoded. */
  headerBytes: 64 * 1024,
  /** Headers usually fit in a few packets; a client that needs longer only ties up a connection. */
  headersMs: 15_000,
  /** For a whole request with its body. The render follows, with a separate timeout. */
  requestMs: 30_000,
  /** Longer than the 60 s of common load balancers, so they close first and never use a closed socket. */
  keepAliveMs: 65_000,
  /** How often Node checks `headersMs` and `requestMs`. */
  connectionCheckMs: 5_000,
  /**
   * How long a client may stop reading; the unread response stays in memory. MCP event streams send a keep-alive every
   * 15 s, so they are never idle this long.
   */
  unreadMs: 30_000,
  /** Enough for a batch of 20 items with long URLs. */
  bodyBytes: 256 * 1024,
  /**
   * Maximum number of values in a JSON body, counting arrays and objects. No valid batch has that many; parsing them
   * takes about 10 ms.
   */
  jsonValues: 20_000,
  /**
   * For the bodies of all `POST /captures` and `POST /documents` requests in flight together; each stays in memory until
   * the response.
   */
  totalBodyBytes: 256 * 1024 * 1024,
  /** Limit for one account: six of the largest bodies. */
  bodiesPerAccountBytes: 64 * 1024 * 1024,
  /** Pieces in which a body may arrive, however small they are: each takes hundreds of bytes and a few microseconds. */
  bodyPieces: 1_000,
  /** Each time it grows by this size, a body may have one more piece; packets and most chunks are far larger. */
  bytesPerPiece: 32,
  /**
   * How much of a body that is too large is read before the rejection, so a client that sends its whole body before it
   * reads still gets the response.
   */
  discardedBytes: 1024 * 1024,
  /** Enough, by default, for running renders (45 s each) and most renders waiting for a slot. */
  drainMs: 90_000,
  /**
   * How long to wait for a slow client: to read a response when the listener closes, to read a rejection, or to send a
   * body that is too large.
   */
  closeMs: 1_000,
} as const;
