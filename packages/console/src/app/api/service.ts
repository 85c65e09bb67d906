import type {
  AdminList,
  BatchSummaryDocument,
  DeliveryAttemptDocument,
  RenderBatch,
  UsageReport,
} from "@snap/protocol";
import { BASE_URL } from "./addresses.ts";
import { createApiClient, type Query } from "./call.ts";

/** The API of a token holder, limited to the token's account. */
export interface ServiceApi {
  readonly usage: (signal?: AbortSignal) => Promise<UsageReport>;
  readonly batches: (query: Query, signal?: AbortSignal) => Promise<AdminList<BatchSummaryDocument>>;
  readonly batch: (id: string, signal?: AbortSignal) => Promise<RenderBatch>;
  readonly deliveries: (
    batchId: string,
    query: Query,
    signal?: AbortSignal,
  ) => Promise<AdminList<DeliveryAttemptDocument>>;
  readonly resend: (batchId: string) => Promise<void>;
}

/** @param onRejected called when the service rejects the token. */
export function createServiceApi(token: string, onRejected: () => void): ServiceApi {
  const { send, read } = createApiClient(BASE_URL, { token, onUnauthorized: onRejected });
  const batchPath = (id: string): string => `/renders/${encodeURIComponent(id)}`;
  return {
    usage: (signal) => read("/usage", { signal }),
    batches: (query, signal) => read("/renders", { query, signal }),
    batch: (id, signal) => read(batchPath(id), { signal }),
    deliveries: (id, query, signal) => read(`${batchPath(id)}/deliveries`, { query, signal }),
    async resend(id) {
      await send(`${batchPath(id)}/deliveries`, { method: "POST" });
    },
  };
}
