/** An installation's problems: each code, with the `doctor` check that it belongs to. */
export const FINDING_CHECKS = {
  admin_api_unencrypted: "admin API",
  admin_api_unreachable: "admin API",
  admin_token_rejected: "admin API",
  backup_invalid: "backup",
  backup_missing: "backup",
  backup_old: "backup",
  browser_fails: "browser",
  browser_missing: "browser",
  browser_start_failed: "browser start",
  clock_skewed: "clock",
  configuration_invalid: "configuration",
  configuration_suspicious: "configuration",
  containment_weak: "containment",
  database_damaged: "storage",
  database_empty: "storage",
  database_missing: "storage",
  database_unreachable: "storage",
  disk_full: "storage",
  disk_low: "cache",
  egress_open: "egress proxy",
  folder_in_use: "storage",
  folder_not_empty: "storage",
  folder_not_writable: "storage",
  folder_open: "storage",
  fonts_missing: "fonts",
  fonts_unknown: "fonts",
  names_unresolved: "name resolution",
  page_limits_missing: "page limits",
  plan_missing: "plans",
  pooler_transaction_mode: "pooler",
  redis_maxmemory: "cache",
  redis_policy: "cache",
  redis_unreachable: "cache",
  remote_browser_unreachable: "remote browser",
  render_fails: "render",
  sandbox_missing: "sandbox",
  sandbox_off: "sandbox",
  schema_newer: "schema",
  schema_older: "schema",
  secret_key_missing: "secret key",
  secret_key_open: "secret key",
  secret_key_unreadable: "secret key",
  secret_key_wrong: "secret key",
  sharp_missing: "images",
  storage_fails: "storage",
  store_unavailable: "object store",
  store_refuses: "object store",
  upstream_proxy_fails: "upstream proxy",
  upstream_proxy_refuses: "upstream proxy",
} as const satisfies Record<string, string>;

/** Stable: programs branch on it. */
export type FindingCode = keyof typeof FINDING_CHECKS;

/** An error that the operator can fix. Its message is the problem and the advice; `doctor` reports both. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
  readonly code: FindingCode;
  readonly problem: string;
  readonly advice: string;

  constructor(code: FindingCode, problem: string, advice: string, options?: ErrorOptions) {
    super(`${problem}; ${advice}`, options);
    this.code = code;
    this.problem = problem;
    this.advice = advice;
  }
}
