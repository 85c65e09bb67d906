import type {
  AdminBatch,
  AdminList,
  AdminRequest,
  BatchSummaryDocument,
  DeliveryAttemptDocument,
  Mode,
  RenderBatch,
} from "@snap/protocol";
import { renderingUrl, type AdminApi } from "../api/admin.ts";
import { toOwnOrigin } from "../api/addresses.ts";
import type { Query } from "../api/call.ts";
import type { ServiceApi } from "../api/service.ts";
import type { Session } from "../session/session.ts";

/** A batch in a list. Only the operator sees the account. */
export interface BatchRow extends BatchSummaryDocument {
  readonly account_id?: string;
}

/** An item, as the operator or a token holder sees it. */
export interface ItemView extends Pick<
  AdminBatch["items"][number],
  "id" | "url" | "etag" | "target_status" | "expires_at" | "credit_cost"
> {
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly notes: readonly string[];
  readonly mode: Mode | null;
  /** `null` for a token holder. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  /** URL of the rendering; `null` if it is unavailable. */
  readonly rendering: string | null;
}

export interface BatchView {
  readonly id: string;
  readonly status: BatchSummaryDocument["status"];
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly prunes_at: string | null;
  readonly account: { readonly id: string; readonly tokenId: number } | null;
  readonly webhook: {
    readonly url: string;
    readonly delivered_at: string | null;
    /** `null` for a token holder. */
    readonly state: NonNullable<BatchSummaryDocument["webhook"]>["status"] | null;
    readonly next_attempt_at: string | null;
  } | null;
  readonly items: readonly ItemView[];
}

/** Reads batches through the admin API for the operator, and through `/v1` for a token holder. */
export interface BatchSource {
  readonly list: (query: Query, signal?: AbortSignal) => Promise<AdminList<BatchRow>>;
  readonly get: (id: string, signal: AbortSignal) => Promise<BatchView>;
  readonly deliveries: (
    batchId: string,
    query: Query,
    signal?: AbortSignal,
  ) => Promise<AdminList<DeliveryAttemptDocument>>;
  readonly resend: (batchId: string) => Promise<void>;
}

export function batchSourceOf(session: Session): BatchSource {
  return session.kind === "operator" ? operatorSource(session.admin) : holderSource(session.service);
}

function operatorSource(admin: AdminApi): BatchSource {
  return {
    list: admin.batches,
    async get(id, signal) {
      const batch = await admin.batch(id, signal);
      return operatorView(batch, await findRequests(admin, batch, signal));
    },
    deliveries: (batch, query, signal) => admin.deliveries({ batch, ...query }, signal),
    resend: admin.resend,
  };
}

function holderSource(service: ServiceApi): BatchSource {
  return {
    list: service.batches,
    get: async (id, signal) => holderView(await service.batch(id, signal)),
    deliveries: service.deliveries,
    resend: service.resend,
  };
}

/** One page of the history usually contains all items of a batch, which has at most 20. */
const HISTORY_LIMIT = 200;
/** The last items can reach the history shortly after the batch is marked as finished. */
const HISTORY_SLACK_MS = 5_000;

/**
 * Returns the history entries of the token's successful batch items from the time when this batch ran.
 * A rendering is fetched by the id of its history entry.
 */
async function findRequests(
  admin: AdminApi,
  batch: AdminBatch,
  signal: AbortSignal,
): Promise<readonly AdminRequest[]> {
  const until =
    batch.finished_at === null ? null : new Date(Date.parse(batch.finished_at) + HISTORY_SLACK_MS);
  const query = {
    account: batch.account_id,
    token: batch.token_id,
    entry_point: "batch",
    failed: false,
    since: batch.created_at,
    until: until?.toISOString(),
    limit: HISTORY_LIMIT,
  };
  // the screen can show the batch without renderings
  return (await admin.requests(query, signal).catch(() => ({ entries: [] }))).entries;
}

function operatorView(batch: AdminBatch, requests: readonly AdminRequest[]): BatchView {
  const { account_id: id, token_id: tokenId, webhook } = batch;
  return {
    ...batch,
    account: { id, tokenId },
    webhook: webhook && { ...webhook, state: webhook.status },
    items: batch.items.map((item) => {
      const request = requests.find(({ request_id: requestId }) => requestId === item.id);
      const isCached = item.expires_at !== null && Date.parse(item.expires_at) > Date.now();
      return {
        ...item,
        mode: item.parameters["pdf"] === true ? "pdf" : "screenshot",
        rendering: request !== undefined && isCached ? renderingUrl(request.id) : null,
      };
    }),
  };
}

function holderView(batch: RenderBatch): BatchView {
  return {
    ...batch,
    account: null,
    webhook: batch.webhook && { ...batch.webhook, state: null, next_attempt_at: null },
    items: batch.items.map((item) => ({
      ...item,
      notes: item.notes ?? [],
      mode: modeOfSignedUrl(item.signed_url),
      parameters: null,
      rendering: item.signed_url === null ? null : toOwnOrigin(item.signed_url),
    })),
  };
}

function modeOfSignedUrl(url: string | null): Mode | null {
  if (url === null || !URL.canParse(url)) return null;
  return ["true", "1"].includes(new URL(url).searchParams.get("pdf") ?? "") ? "pdf" : "screenshot";
}
