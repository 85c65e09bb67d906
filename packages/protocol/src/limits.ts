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

/** Those of batches, which the service alone looks after. */
export const BATCH_LIMITS = {
  submissionsPerMinute: 10,
  items: 20,
  cacheTtlMinSeconds: 3600,
  /** From the finish of a batch to its deletion. */
  retentionMs: 7 * 24 * 60 * 60 * 1000,
  /** For how long an item goes on after it first met the render limit. */
  retryWindowMs: 15 * 60 * 1000,
} as const;
