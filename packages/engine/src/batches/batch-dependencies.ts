import type { NamedStores } from "../delivery/stores.ts";
import type { Capture, CaptureOptions, CaptureRequest } from "../capture.ts";
import type { ClockWatch } from "../clocks/watch-clocks.ts";
import type { CreditState } from "../credits/credits.ts";
import type { EngineSettings } from "../engine-options.ts";
import type { Account } from "../ports/accounts.ts";
import type { HistoryRecorder } from "../history/recorder.ts";
import type { CacheKey } from "../parameters/cache-key.ts";
import type { BatchRecord } from "../ports/batches.ts";
import type { Storage } from "../ports/storage.ts";
import type { Quarantine } from "../schedule/quarantine.ts";
import type { Scheduler } from "../schedule/scheduler.ts";
import type { Seal } from "../tokens/seal.ts";
import type { LinkItems } from "./item-links.ts";
import { advanceBatch, type BatchEvent, type BatchRules } from "./batch-machine.ts";

type Stores = Pick<Storage, "batches" | "ledger" | "rateLimiter" | "tokens">;

type Settings = Pick<
  EngineSettings,
  | "clock"
  | "concurrency"
  | "itemLeaseMs"
  | "onBackgroundError"
  | "onDeliveryAttempt"
  | "onItemFinished"
  | "onItemPostponed"
  | "random"
  | "renderer"
  | "targets"
  | "webhookRetryDelaysMs"
  | "webhookSender"
>;

/** The dependencies of batches and their worker; `createEngine` assembles them. */
export interface BatchDependencies extends Stores, Settings {
  readonly seal: Seal;
  readonly cacheKey: CacheKey;
  readonly stores: NamedStores;
  readonly rules: BatchRules;
  readonly capture: (request: CaptureRequest & CaptureOptions) => Promise<Capture>;
  /** Records the finished items in the history. */
  readonly recorder: HistoryRecorder;
  readonly clocks: ClockWatch;
  readonly credits: (account: Account) => Promise<CreditState>;
  readonly linkItems: LinkItems;
  /** Reports the load of all renders, interactive ones included. */
  readonly scheduler: Pick<Scheduler, "load" | "countCompetingRenders" | "busyQuarantinedAccounts">;
  readonly quarantine: Pick<Quarantine, "has">;
  /** Called after a new batch is submitted. */
  readonly onSubmitted: () => void;
}

/** Applies an event to a stored batch; returns `null` if the batch does not exist or the event does not apply. */
export async function applyEvent(
  { batches, clock, rules }: BatchDependencies,
  batchId: string,
  event: BatchEvent,
): Promise<BatchRecord | null> {
  const now = clock.now();
  return batches.change({ batchId, now, change: (batch) => advanceBatch(batch, event, { now, rules }) });
}
