/** Every number of the specification (interface.md, Limits), its unit in its name. */
export const LIMITS = {
  rendersPerMinute: 20,
  cachedAnswersPerMinute: 300,
  usageReportsPerMinute: 60,
  batchSubmissionsPerMinute: 10,

  batchItems: 20,
  batchRetentionMs: 7 * 24 * 60 * 60 * 1000,
  /** For how long an item goes on after it first met the render limit. */
  batchRetryWindowMs: 15 * 60 * 1000,
  webhookToleranceSeconds: 5 * 60,

  urlCharacters: 2048,
  selectorCharacters: 512,
  cacheTtlMinSeconds: 60,
  batchCacheTtlMinSeconds: 3600,
  cacheTtlMaxSeconds: 2_592_000,
  cacheTtlDefaultSeconds: 86_400,
} as const;
