/** The numbers of the specification (interface.md, Limits), each with its unit in its name. */
export const LIMITS = {
  rendersPerMinute: 20,
  cachedAnswersPerMinute: 300,
  usageReportsPerMinute: 60,

  urlCharacters: 2048,
  selectorCharacters: 512,
  cacheTtlMinSeconds: 60,
  cacheTtlMaxSeconds: 2_592_000,
  cacheTtlDefaultSeconds: 86_400,

  webhookToleranceSeconds: 300,
} as const;

/**
 * Those of batches, which the service alone looks after. Written without sums, so that bundlers see that
 * a client can do without them.
 */
export const BATCH_LIMITS = {
  submissionsPerMinute: 10,
  items: 20,
  cacheTtlMinSeconds: 3600,
  /** From the finish of a batch to its deletion: 7 days. */
  retentionMs: 604_800_000,
  /** For how long an item goes on after it first met the render limit: 15 minutes. */
  retryWindowMs: 900_000,
} as const;
