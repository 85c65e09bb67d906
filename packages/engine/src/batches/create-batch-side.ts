import type { Capture, CaptureOptions, CaptureRequest } from "../capture.ts";
import type { CreditState } from "../credits/credits.ts";
import type { EngineSettings } from "../engine-options.ts";
import type { Account } from "../ports/accounts.ts";
import type { Scheduler } from "../schedule/scheduler.ts";
import type { Seal } from "../tokens/seal.ts";
import { createBatches, describeBatch, type Batches } from "./batches.ts";
import { startBatchWorker, type BatchWorker } from "./worker.ts";

/** What batches need of the rest of the engine. */
export interface EngineSide {
  readonly seal: Seal;
  readonly scheduler: Scheduler;
  readonly capture: (request: CaptureRequest & CaptureOptions) => Promise<Capture>;
  readonly credits: (account: Account) => Promise<CreditState>;
  readonly onSubmitted: () => void;
}

/** Puts submission, polling and the worker together. */
export function createBatchSide(
  settings: EngineSettings,
  { seal, scheduler, capture, credits, onSubmitted }: EngineSide,
): { readonly batches: Batches; readonly startWorker: () => BatchWorker } {
  const { storage, clock, random, targets, baseUrl, concurrency, onBackgroundError } = settings;
  const parts = {
    ...storage,
    seal,
    clock,
    random,
    baseUrl,
    targets,
    onBackgroundError,
    rules: { retentionMs: settings.batchRetentionMs, retryWindowMs: settings.batchRetryWindowMs },
  };
  return {
    batches: createBatches({ ...parts, onSubmitted }),
    startWorker: () =>
      startBatchWorker({
        items: {
          ...parts,
          capture,
          credits,
          concurrency,
          itemLeaseMs: settings.itemLeaseMs,
          load: () => scheduler.load(),
          onItem: settings.onItemFinished,
        },
        deliveries: {
          ...parts,
          sender: settings.webhookSender,
          pausesMs: settings.webhookPausesMs,
          describe: (batch, token) => describeBatch(parts, { batch, token }),
          onAttempt: settings.onDeliveryAttempt,
        },
      }),
  };
}
