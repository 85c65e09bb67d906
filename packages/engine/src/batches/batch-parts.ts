import type { Capture, CaptureOptions, CaptureRequest } from "../capture.ts";
import type { CreditState } from "../credits/credits.ts";
import type { EngineSettings } from "../engine-options.ts";
import type { Account } from "../ports/accounts.ts";
import type { BatchRecord } from "../ports/batches.ts";
import type { Storage } from "../ports/storage.ts";
import type { SchedulerLoad } from "../schedule/scheduler.ts";
import type { Seal } from "../tokens/seal.ts";
import { advanceBatch, type BatchEvent, type BatchRules } from "./batch-machine.ts";

type Stores = Pick<Storage, "batches" | "ledger" | "rateLimiter" | "renderings" | "tokens">;

type Settings = Pick<
  EngineSettings,
  | "baseUrl"
  | "clock"
  | "concurrency"
  | "itemLeaseMs"
  | "onBackgroundError"
  | "onDeliveryAttempt"
  | "onItemFinished"
  | "random"
  | "targets"
  | "webhookPausesMs"
  | "webhookSender"
>;

/** What batches and their worker work with; `createEngine` puts it together. */
export interface BatchParts extends Stores, Settings {
  readonly seal: Seal;
  readonly rules: BatchRules;
  readonly capture: (request: CaptureRequest & CaptureOptions) => Promise<Capture>;
  readonly credits: (account: Account) => Promise<CreditState>;
  /** Renders that run and wait now, whoever asked for them. */
  readonly load: () => SchedulerLoad;
  /** Told when there is something to work on. */
  readonly onSubmitted: () => void;
}

/** Writes down what an event makes of a batch; `null` when it had no place there. */
export async function applyEvent(
  { batches, clock, rules }: BatchParts,
  batchId: string,
  event: BatchEvent,
): Promise<BatchRecord | null> {
  const now = clock.now();
  return batches.change({ batchId, now, change: (batch) => advanceBatch(batch, event, { now, rules }) });
}
