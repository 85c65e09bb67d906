/** The limits of the API, each with its unit in its name. */
export const LIMITS = {
  /** Renders per account, unless its plan or the account sets another number. `no_active_plan` and `credit_limit_reached` count too. */
  rendersPerMinute: 20,
  /** Cache hits per account; a 304 from the cache does not count. */
  cachedRequestsPerMinute: 300,
  /** Requests to `GET /usage` per account. */
  usageReportsPerMinute: 60,

  /** Maximum length of `url`. */
  urlCharacters: 2048,
  /** Maximum length of the query of a link. With the rest of a request, servers accept at most 64 KiB. */
  queryCharacters: 60_000,
  /** Maximum length of a selector of one element, such as `selector` and `waitForSelector`. */
  selectorCharacters: 512,
  /** Maximum length of a selector list, such as `hideSelectors`. */
  selectorListCharacters: 2048,
  /** Maximum length of `css`, `script`, `headerHtml` and `footerHtml`. */
  codeCharacters: 20_000,
  /** Maximum length of `pdfTitle`, `pdfAuthor`, `pdfSubject` and `pdfKeywords`. */
  documentTextCharacters: 500,
  /** Minimum `cacheTtl`. */
  cacheTtlMinSeconds: 60,
  /** Maximum `cacheTtl`. */
  cacheTtlMaxSeconds: 2_592_000,
  /** How long a rendering stays cached by default. */
  cacheTtlDefaultSeconds: 86_400,
  /** Without `waitUntil`, a page that never becomes idle is captured this long after `load`. */
  idleAfterLoadMaxMs: 10_000,

  /** Maximum difference between the timestamp of a delivery and the receiver's clock. */
  webhookToleranceSeconds: 300,
} as const;

/** Limits of batches, which only the service enforces. No computed values, so that bundlers can drop them from clients. */
export const BATCH_LIMITS = {
  /** Submissions per account; they count against no other limit. */
  submissionsPerMinute: 10,
  /** Maximum items in a batch. */
  items: 20,
  /** Minimum `cacheTtl` of an item. */
  cacheTtlMinSeconds: 3600,
  /** Time from the end of a batch to its deletion, unless `SNAP_BATCH_RETENTION` is set. */
  retentionMs: 604_800_000,
  /**
   * How long an item is retried after it first exceeds the render limit or name resolution first fails, unless
   * `SNAP_RETRY_WINDOW` is set.
   */
  retryWindowMs: 900_000,
} as const;

/** Limits of documents, which only the service enforces. */
export const DOCUMENT_LIMITS = {
  /** Uploads per account; they count against no other limit. */
  uploadsPerMinute: 60,
  /** Maximum size of an upload, and of the body of `POST /captures`. */
  uploadBytes: 10_485_760,
  /** Maximum files in a document. */
  files: 500,
  /** Maximum total size of the files of a document. */
  unpackedBytes: 52_428_800,
  /** Maximum length of a file's path, in UTF-8. */
  pathBytes: 255,
  /** Minimum `documentTtl`. */
  ttlMinSeconds: 60,
  /** Maximum `documentTtl`. */
  ttlMaxSeconds: 2_592_000,
  /** How long a document is stored by default. */
  ttlDefaultSeconds: 86_400,
  /** Stored documents per account. */
  storedDocuments: 200,
  /** Total size of the stored documents of an account. */
  storedBytes: 524_288_000,
} as const;
