/** The numbers of the specification (interface.md, Limits), each with its unit in its name. */
export const LIMITS = {
  /** Renders of an account, unless its plan or the account itself has another number; refusals for want of a plan or of credits count too. */
  rendersPerMinute: 20,
  /** Answers from the cache, the same for every account; a 304 from the cache is free. */
  cachedAnswersPerMinute: 300,
  /** Requests of `GET /usage`. */
  usageReportsPerMinute: 60,

  /** The longest `url`. */
  urlCharacters: 2048,
  /** The longest `selector` and `waitForSelector`. */
  selectorCharacters: 512,
  /** The shortest `cacheTtl`. */
  cacheTtlMinSeconds: 60,
  /** The longest `cacheTtl`. */
  cacheTtlMaxSeconds: 2_592_000,
  /** How long a rendering is kept unless `cacheTtl` is sent. */
  cacheTtlDefaultSeconds: 86_400,
  /** Without `waitUntil`, a page that never gets idle is captured this long after `load`. */
  idleAfterLoadMaxMs: 10_000,

  /** How far the timestamp of a delivery may be from the clock of who receives it. */
  webhookToleranceSeconds: 300,
} as const;

/**
 * Those of batches, which the service alone looks after. Written without sums, so that bundlers see that
 * a client can do without them.
 */
export const BATCH_LIMITS = {
  /** Submissions; they spend no other limit. */
  submissionsPerMinute: 10,
  /** The most items of a batch. */
  items: 20,
  /** The shortest `cacheTtl` of an item. */
  cacheTtlMinSeconds: 3600,
  /** From the finish of a batch to its deletion, unless `SNAP_BATCH_RETENTION` says otherwise. */
  retentionMs: 604_800_000,
  /** For how long an item goes on after it first met the render limit, unless `SNAP_RETRY_WINDOW` says otherwise. */
  retryWindowMs: 900_000,
} as const;
