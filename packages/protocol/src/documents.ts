/** A plan as the usage report names it. */
export interface UsagePlan {
  readonly name: string;
  readonly slug: string;
}

/** The body of `GET /usage` (interface.md, Usage report). Date-times are ISO 8601 in UTC. */
export interface UsageReport {
  readonly credits: {
    readonly remaining: number;
    readonly used: number;
    readonly total: number;
  };
  readonly plan: UsagePlan | null;
  readonly period: { readonly started_at: string; readonly resets_at: string } | null;
  readonly rate_limit: {
    readonly requests_per_minute: number;
    readonly cached_requests_per_minute: number;
  };
}
