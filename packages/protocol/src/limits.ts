/** The API's limits. Each name ends in its unit. */
export const LIMITS = {
  /**
   * Renders per account, including those of batch items, unless the plan or the account sets a
   * different number. Requests that fail with `no_active_plan` or `credit_limit_reached`, or with
   * `upstream_rate_limited` because no slot was free, also count.
   */
  rendersPerMinute: 20,
  /** Cache hits per account; a 304 from the cache counts only if `storeTo` is sent. */
  cachedRequestsPerMinute: 300,
  /** Usage reports per account, from `GET /usage` and the tool `check-usage`. */
  usageReportsPerMinute: 60,

  /** Maximum length of `url` without surrounding spaces; a space within it counts as `%20`. */
  urlCharacters: 2048,
  /**
   * Maximum length of the parameters in a URL that the service, the client or the console creates, such as a signed URL.
   * Servers accept at most 64 KiB for the request line and headers together.
   */
  queryCharacters: 60_000,
  /** Maximum length of a selector for one element, such as `selector` and `waitForSelector`. */
  selectorCharacters: 512,
  /** Maximum length of a selector list, such as `hideSelectors`. */
  selectorListCharacters: 2048,
  /** Maximum length of `css`, `script`, `headerHtml` and `footerHtml`. */
  codeCharacters: 20_000,
  /** Maximum length of `pdfTitle`, `pdfAuthor`, `pdfSubject` and `pdfKeywords`. */
  documentTextCharacters: 500,
  /** Maximum length of `storeKey`. */
  storeKeyCharacters: 512,
  /** Maximum length of a stored object's key in UTF-8, including the account's prefix, with all placeholders replaced. */
  objectKeyBytes: 900,
  /** Maximum length of each segment of an object key in UTF-8; file systems reject longer ones. */
  objectKeySegmentBytes: 255,
  /** Minimum `cacheTtl`. */
  cacheTtlMinSeconds: 60,
  /** Maximum `cacheTtl`. */
  cacheTtlMaxSeconds: 2_592_000,
  /** Default `cacheTtl`. */
  cacheTtlDefaultSeconds: 86_400,
  /** Without `waitUntil`, a page that never becomes idle is captured this long after `load`. */
  idleAfterLoadMaxMs: 10_000,

  /**
   * Default of the client's `toleranceSeconds`: maximum difference between a webhook's timestamp and the receiver's
   * clock.
   */
  webhookToleranceSeconds: 300,
} as const;

/** Limits on batches; clients do not check them. Only literals, so bundlers can drop the object. */
export const BATCH_LIMITS = {
  /** Submissions and resent webhooks per account; they don't count against any other limit. */
  submissionsPerMinute: 10,
  /** Maximum items in a batch. */
  items: 20,
  /** Maximum length of an `Idempotency-Key`. */
  idempotencyKeyCharacters: 255,
  /** How long a submission with the same `Idempotency-Key` returns the same batch. */
  idempotencyKeyMs: 86_400_000,
  /** Minimum `cacheTtl` of an item. */
  cacheTtlMinSeconds: 3600,
  /** Time from the end of a batch to its deletion, unless `SNAP_BATCH_RETENTION` is set. */
  retentionMs: 604_800_000,
  /**
   * How long an item is retried from the first temporary failure that postpones it, such as the rate limit on renders,
   * a busy service or failed name resolution, unless `SNAP_RETRY_WINDOW` is set.
   */
  retryWindowMs: 900_000,
} as const;

/** Limits on documents; clients do not check them. */
export const DOCUMENT_LIMITS = {
  /** Uploads per account; they don't count against any other limit. */
  uploadsPerMinute: 60,
  /** Maximum size of an upload, and of the body of `POST /captures`. */
  uploadBytes: 10_485_760,
  /** Maximum files in a document. */
  files: 500,
  /** Maximum total size of a document's files. */
  unpackedBytes: 52_428_800,
  /** Maximum length of a file's path, in UTF-8. */
  pathBytes: 255,
  /** Minimum `documentTtl`. */
  ttlMinSeconds: 60,
  /** Maximum `documentTtl`. */
  ttlMaxSeconds: 2_592_000,
  /** Default `documentTtl`. */
  ttlDefaultSeconds: 86_400,
  /** Maximum stored documents per account. */
  storedDocuments: 200,
  /** Maximum total size of an account's stored documents. */
  storedBytes: 524_288_000,
} as const;
