/** Every number of the specification (interface.md, Limits), its unit in its name. */
export const LIMITS = {
  rendersPerMinute: 20,
  cachedAnswersPerMinute: 300,
  usageReportsPerMinute: 60,

  urlCharacters: 2048,
  selectorCharacters: 512,
  cacheTtlMinSeconds: 60,
  cacheTtlMaxSeconds: 2_592_000,
  cacheTtlDefaultSeconds: 86_400,
} as const;
