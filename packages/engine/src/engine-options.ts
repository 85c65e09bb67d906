import { BATCH_LIMITS } from "@snap/protocol";
import { BUILT_IN_PLANS, type Plan } from "./accounts/plans.ts";
import type { DeliveryAttempt } from "./batches/deliver.ts";
import type { FinishedItem } from "./batches/item-worker.ts";
import { createWebhookSender } from "./egress/webhook-sender.ts";
import { systemClock, type Clock } from "./ports/clock.ts";
import { createSystemMachine, type Machine } from "./ports/machine.ts";
import { systemRandom, type Random } from "./ports/random.ts";
import type { Renderer } from "./ports/renderer.ts";
import { systemResolver, type Resolver } from "./ports/resolver.ts";
import type { Storage } from "./ports/storage.ts";
import type { WebhookSender } from "./ports/webhook-sender.ts";
import { maxRenders } from "./schedule/render-slots.ts";
import { PUBLIC_TARGETS_ONLY, type TargetPolicy } from "./targets/policy.ts";

export interface EngineOptions {
  readonly storage: Storage;
  readonly renderer: Renderer;
  /** Encrypts signing secrets at rest: any text of at least 16 characters, kept for good. */
  readonly secretKey: string;
  /** The built-in plans unless given. */
  readonly plans?: readonly Plan[];
  /** Those of the renderer unless given, or public targets only where it tells of none. */
  readonly targets?: TargetPolicy;
  /**
   * At most this many renders run at once. Two per processor and two more always may; beyond them another
   * is admitted whenever processors are idle, because pages wait for their network. One for each 128 MiB of
   * memory that is available at the start unless given, at most 16 per processor.
   */
  readonly concurrency?: number;
  /** How many renders may wait for a turn: 1,000 in all and 250 of one account unless given. */
  readonly maxWaiting?: number;
  readonly maxWaitingPerAccount?: number;
  /** Longest wait for a turn; 60,000 ms unless given. */
  readonly maxWaitMs?: number;
  /** After this long an unresolved reservation is refunded by itself; 120,000 ms unless given. */
  readonly reservationLeaseMs?: number;
  /** Renderings held in memory; 64 MiB unless given. */
  readonly memoryCacheBytes?: number;
  /** Base address of the API, which ends in `/v1`: what signed links lead to. Without it there are none. */
  readonly baseUrl?: string;
  /** How long a batch is kept after its finish; 7 days unless given. */
  readonly batchRetentionMs?: number;
  /** For how long a batch item goes on after it first met the account's limit; 15 minutes unless given. */
  readonly batchRetryWindowMs?: number;
  /** After so long without a sign of life a batch worker is taken to be lost; 20 s unless given. */
  readonly itemLeaseMs?: number;
  /** Pauses between the attempts at a webhook; 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h unless given. */
  readonly webhookPausesMs?: readonly number[];
  /** Sends webhooks; over the network, to the targets that are allowed, unless given. */
  readonly webhookSender?: WebhookSender;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly resolver?: Resolver;
  /** Tells which processors and how much memory are free; this machine unless given. */
  readonly machine?: Machine;
  /** Told of what no caller hears: background failures. */
  readonly onBackgroundError?: (error: unknown) => void;
  /** Told of every batch item that this engine's worker finishes. */
  readonly onItemFinished?: (item: FinishedItem) => void;
  /** Told of every attempt to deliver a webhook. */
  readonly onDeliveryAttempt?: (attempt: DeliveryAttempt) => void;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** The attempts of docs/decisions/batches-and-webhooks.md. */
const WEBHOOK_PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];

/** Every option, filled in. */
export type EngineSettings = Required<Omit<EngineOptions, "baseUrl">> & { readonly baseUrl: string | null };

export function withDefaults(options: EngineOptions): EngineSettings {
  const { resolver = systemResolver, renderer } = options;
  const { targets = renderer.targets ?? PUBLIC_TARGETS_ONLY } = options;
  const { machine = createSystemMachine() } = options;
  return {
    plans: BUILT_IN_PLANS,
    concurrency: maxRenders(machine.availableMemoryBytes()),
    machine,
    maxWaiting: 1000,
    maxWaitingPerAccount: 250,
    maxWaitMs: MINUTE_MS,
    reservationLeaseMs: 2 * MINUTE_MS,
    memoryCacheBytes: 64 * 1024 * 1024,
    batchRetentionMs: BATCH_LIMITS.retentionMs,
    batchRetryWindowMs: BATCH_LIMITS.retryWindowMs,
    // A lost item is taken up within 30 s (faults.md).
    itemLeaseMs: 20 * SECOND_MS,
    webhookPausesMs: WEBHOOK_PAUSES_MS,
    webhookSender: options.webhookSender ?? createWebhookSender({ policy: targets, resolver }),
    clock: systemClock,
    random: systemRandom,
    resolver,
    targets,
    onBackgroundError: () => {},
    onItemFinished: () => {},
    onDeliveryAttempt: () => {},
    ...options,
    baseUrl: options.baseUrl ?? null,
  };
}
