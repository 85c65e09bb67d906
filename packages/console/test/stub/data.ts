import type {
  AdminAccount,
  AdminBatch,
  AdminHealth,
  AdminPlan,
  AdminProblem,
  AdminRequest,
  AdminToken,
  AdminUsage,
  DeliveryAttemptDocument,
  UsageReport,
} from "@snap/protocol";

/* Realistic data, with large numbers, long URLs and text that looks like markup. */

/** Changes the page's title if it is interpreted as markup. */
export const INJECTED_HTML = `<img src="x" onerror="document.title='forged'"><script>document.title='forged'</script>`;

export const LONG_URL = `https://shop.example.com/catalog/winter/${"very-long-segment/".repeat(12)}item-4711?${"utm_campaign=autumn&".repeat(20)}page=7`;

const ETAG = '"5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"';

const DAY_MS = 86_400_000;

export interface Data {
  readonly accounts: AdminAccount[];
  readonly tokens: AdminToken[];
  readonly requests: AdminRequest[];
  readonly batches: AdminBatch[];
  readonly deliveries: DeliveryAttemptDocument[];
  readonly problems: AdminProblem[];
}

/** Returns accounts with their activity until `now`. */
export function createData(now: number): Data {
  const at = (agoMs: number): string => new Date(now - agoMs).toISOString();
  return {
    accounts: createAccounts(at),
    tokens: createTokens(at),
    requests: Array.from({ length: 130 }, (_, index) => createRequest(index, at)),
    batches: createBatches(at),
    deliveries: createDeliveries(at),
    problems: [
      {
        status: "warning",
        code: "backup_old",
        message: "The last backup is 9 days old.",
        advice: "Run snap-server backup FILE, for example every night.",
      },
      { status: "problem", code: "forged", message: `The browser reports ${INJECTED_HTML}`, advice: null },
    ],
  };
}

export const PLANS: readonly AdminPlan[] = [
  { slug: "starter", name: "Starter", credits_per_period: 1000, requests_per_minute: 20 },
  { slug: "growth", name: "Growth", credits_per_period: 10_000, requests_per_minute: 60 },
  { slug: "scale", name: "Scale", credits_per_period: 100_000, requests_per_minute: 300 },
];

type At = (agoMs: number) => string;

function createAccounts(at: At): AdminAccount[] {
  const emails = [
    "billing@northwind.example",
    "ops@long-company-name-with-many-words.subsidiary.example.com",
    `"${INJECTED_HTML}"@forged.example`,
    "studio@fabrikam.example",
    "newsletter@contoso.example",
  ];
  return emails.map((email, index) => ({
    id: `acc_${String(index + 1).padStart(24, "0")}`,
    email,
    verified_at: index === 3 ? null : at((400 - index * 30) * DAY_MS),
    plan: index === 4 ? null : ["scale", "growth", "starter"][index % 3]!,
    credits_per_period: index === 0 ? 1_250_000 : null,
    requests_per_minute: index === 0 ? 1200 : null,
    created_at: at((400 - index * 30) * DAY_MS),
    suspended_at: index === 1 ? at(2 * DAY_MS) : null,
    deletion_started_at: null,
  }));
}

function createTokens(at: At): AdminToken[] {
  const token = (id: number, name: string | null, change: Partial<AdminToken> = {}): AdminToken => ({
    id,
    account_id: "acc_000000000000000000000001",
    name,
    abilities: ["screenshot", "pdf"],
    created_at: at(90 * DAY_MS),
    expires_at: null,
    rotated_at: null,
    overlap_ends_at: null,
    last_used_at: at(3_600_000),
    ...change,
  });
  return [
    token(7, "Invoices, nightly run"),
    token(8, INJECTED_HTML, { abilities: ["pdf"], expires_at: at(DAY_MS) }),
    token(1234567, null, { overlap_ends_at: at(-DAY_MS), rotated_at: at(3_600_000), last_used_at: null }),
  ];
}

/** They repeat, so each page of the list of requests contains every outcome. */
const OUTCOMES = [
  { code: null, status: 200, message: null, cache: "MISS" },
  { code: null, status: 200, message: null, cache: "HIT" },
  { code: null, status: 200, message: null, cache: "HIT" },
  { code: "render_timeout", status: 504, message: "The render did not finish in 45 seconds.", cache: null },
  { code: null, status: 200, message: null, cache: "MISS" },
  {
    code: "target_unreachable",
    status: 422,
    message: `The page responded with ${INJECTED_HTML}`,
    cache: null,
  },
  { code: null, status: 200, message: null, cache: "MISS" },
] as const;

function createRequest(index: number, at: At): AdminRequest {
  const outcome = OUTCOMES[index % OUTCOMES.length]!;
  const isPdf = index % 5 === 2;
  const isSuccess = outcome.code === null;
  const url = index % 6 === 0 ? LONG_URL : `https://www.example-${index}.com/articles/${index}`;
  return {
    id: `req_${String(999 - index).padStart(24, "0")}`,
    at: at(index * 97_000),
    request_id: index === 4 ? "item_1" : `7b1f0000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    batch_id: index === 4 ? "batch_failing" : null,
    account_id:
      index === 4 ? "acc_000000000000000000000001" : `acc_${String((index % 5) + 1).padStart(24, "0")}`,
    token_id: [7, 8, 1234567][index % 3]!,
    entry_point:
      index === 4 ? "batch" : (["snap", "signed", "batch", "mcp", "captures"] as const)[index % 5]!,
    mode: isPdf ? "pdf" : "screenshot",
    host: index === 5 ? INJECTED_HTML : new URL(url).hostname,
    parameters: {
      url,
      ...(isPdf ? { pdf: true, paperFormat: "letter" } : { fullPage: true, format: "webp", quality: 80 }),
      ...(index % 4 === 0 && { headers: "[secret]", css: `.title::after { content: "${INJECTED_HTML}" }` }),
    },
    status: outcome.status,
    code: outcome.code,
    message: outcome.message,
    duration_ms: outcome.cache === "HIT" ? 4 : 400 + ((index * 7919) % 9000),
    cache: outcome.cache,
    credit_cost: isSuccess && outcome.cache !== "HIT" ? 1 : 0,
    etag: isSuccess ? ETAG : null,
    bytes: isSuccess ? 48_213 + index * 99_991 : null,
    target_status: isSuccess && !isPdf ? 200 : null,
    notes: index % 3 === 0 ? ["blocked=37", "lazy-capped"] : [],
    expires_at: outcome.cache === null ? null : at(-DAY_MS + index * 97_000),
  };
}

function createBatches(at: At): AdminBatch[] {
  const webhook = (change: object): AdminBatch["webhook"] => ({
    url: `https://hooks.example.com/${"deeply/nested/".repeat(8)}receive?source=snap`,
    status: "delivered",
    attempts: 1,
    next_attempt_at: null,
    delivered_at: at(3_000_000),
    lease_ends_at: null,
    ...change,
  });
  const batch = (id: string, change: Partial<AdminBatch>): AdminBatch => ({
    id,
    status: "complete",
    created_at: at(4_000_000),
    finished_at: at(3_200_000),
    prunes_at: at(-6 * DAY_MS),
    webhook: webhook({}),
    account_id: "acc_000000000000000000000001",
    token_id: 7,
    items: createItems(at),
    ...change,
  });
  return [
    batch("batch_failing", {
      webhook: webhook({ status: "abandoned", attempts: 6, delivered_at: null }),
      created_at: at(1_000_000),
      finished_at: at(960_000),
    }),
    batch("batch_pending", {
      status: "pending",
      finished_at: null,
      prunes_at: null,
      webhook: webhook({ status: "waiting", attempts: 0, delivered_at: null }),
      items: createItems(at).map((item) =>
        Object.assign(item, { status: "queued", etag: null, credit_cost: null, error: null }),
      ),
    }),
    batch("batch_plain", { webhook: null, items: createItems(at).slice(0, 1) }),
  ];
}

function createItems(at: At): AdminBatch["items"] {
  const item = {
    target_status: 200,
    error: null,
    notes: [],
    credit_cost: 1 as const,
    cache_key: "0".repeat(64),
    starts: null,
    fence: null,
    limited_since: null,
    due_at: null,
    lease_ends_at: null,
    expires_at: at(-DAY_MS),
    etag: ETAG,
  };
  return [
    { ...item, id: "item_1", url: LONG_URL, status: "done", parameters: { url: LONG_URL, fullPage: true } },
    {
      ...item,
      id: "item_2",
      url: "https://example.com/report",
      status: "done",
      parameters: { url: "https://example.com/report", pdf: true },
      etag: '"ffff"',
      target_status: null,
      notes: ["images-failed=2"],
    },
    {
      ...item,
      id: "item_3",
      url: "https://nowhere.example/",
      status: "failed",
      parameters: { url: "https://nowhere.example/" },
      error: { code: "target_unreachable", message: `No such host: ${INJECTED_HTML}` },
      etag: null,
      target_status: null,
      expires_at: null,
      credit_cost: 0,
    },
  ];
}

function createDeliveries(at: At): DeliveryAttemptDocument[] {
  const attempt = (index: number, change: Partial<DeliveryAttemptDocument>): DeliveryAttemptDocument => ({
    id: `dlv_${String(99 - index).padStart(24, "0")}`,
    batch_id: "batch_failing",
    at: at(index * 60_000),
    attempt: 6 - index,
    duration_ms: 38 + index * 211,
    delivered: false,
    status: 500,
    failure: null,
    body: `<h1>Internal Server Error</h1>${INJECTED_HTML}\n${"stack trace line\n".repeat(20)}`,
    ...change,
  });
  return [
    attempt(0, {}),
    attempt(1, { status: null, failure: "timed-out", duration_ms: 10_004, body: null }),
    attempt(2, { status: 404, body: "" }),
    { ...attempt(3, {}), batch_id: "batch_other" },
  ];
}

/** Returns usage as the API does, without days that have none. */
export function createUsage(by: string, from: string, to: string): AdminUsage[] {
  const usage = (index: number, change: Partial<AdminUsage>): AdminUsage => ({
    day: null,
    account_id: null,
    token_id: null,
    renders: 12_345 + ((index * 7919) % 4000),
    hits: 34_567 + ((index * 104_729) % 9000),
    failures: 120 + ((index * 31) % 700),
    credits: 12_345 + ((index * 7919) % 4000),
    mean_render_ms: 1400 + ((index * 97) % 600),
    longest_render_ms: 9000 + ((index * 1013) % 30_000),
    ...change,
  });
  if (by === "account")
    return [1, 2, 3].map((id) => usage(id, { account_id: `acc_${String(id).padStart(24, "0")}` }));
  if (by === "token")
    return [7, 8, 1234567].map((id, index) =>
      usage(index, { token_id: id, account_id: "acc_000000000000000000000001" }),
    );
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days.map((day, index) => usage(index, { day })).filter((_, index) => index % 9 !== 4);
}

export function createHealth(now: number): Omit<AdminHealth, "problems"> {
  const minute = Math.floor(now / 60_000) * 60_000;
  return {
    version: "0.9.0 (f395770)",
    ready: true,
    renders: { running: 4, waiting: 17 },
    batches: { queued_items: 12_034, rendering_items: 2, open_deliveries: 1 },
    cache: { bytes: 41_234_567_890, max_bytes: 68_719_476_736, free_bytes: 120_000_000_000 },
    last_backup_at: new Date(now - 9 * DAY_MS).toISOString(),
    history: true,
    today: { renders: 1_234_567, hits: 4_765_432, failures: 12_345, credits: 1_234_567 },
    failures: [
      { code: "target_unreachable", count: 8123 },
      { code: "render_timeout", count: 2210 },
      { code: "validation_failed", count: 1004 },
      { code: "upstream_rate_limited", count: 12 },
    ],
    activity: Array.from({ length: 60 }, (_, index) => ({
      at: new Date(minute - (59 - index) * 60_000).toISOString(),
      renders: 700 + Math.round(300 * Math.sin(index / 7)) + ((index * 7919) % 90),
      failures: index % 13 === 6 ? 140 : (index * 31) % 11,
    })),
  };
}

/** The health of a newly installed service. */
export const EMPTY_HEALTH: Partial<AdminHealth> = {
  problems: [],
  renders: { running: 0, waiting: 0 },
  batches: { queued_items: 0, rendering_items: 0, open_deliveries: 0 },
  cache: null,
  last_backup_at: null,
  today: { renders: 0, hits: 0, failures: 0, credits: 0 },
  failures: [],
  activity: createHealth(0).activity.map(({ at }) => ({ at, renders: 0, failures: 0 })),
};

export const USAGE_REPORT: UsageReport = {
  credits: { remaining: 1_015_433, used: 234_567, total: 1_250_000 },
  plan: { name: "Scale", slug: "scale" },
  period: { started_at: "2026-11-01T00:00:00+00:00", resets_at: "2026-12-01T00:00:00+00:00" },
  rate_limit: { requests_per_minute: 1200, cached_requests_per_minute: 300 },
};
