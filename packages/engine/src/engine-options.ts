import { BATCH_LIMITS } from "@snap/protocol";
import { BUILT_IN_PLANS, parsePlans, type Plan } from "./accounts/plans.ts";
import type { DeliveryAttempt } from "./batches/deliver.ts";
import type { FinishedItem, PostponedItem } from "./batches/item-worker.ts";
import { DAY_MS } from "./days.ts";
import type { NamedStores } from "./delivery/stores.ts";
import { systemResolver } from "./egress/names/system-resolver.ts";
import type { ClockSkew } from "./clocks/clock-skew.ts";
import type { EngineEvent } from "./engine-event.ts";
import { HISTORY_RETENTION_MAX_MS } from "./history/history.ts";
import { STORE_TIMEOUT_MS } from "./egress/s3-store.ts";
import type { UpstreamProxy } from "./egress/upstream-proxy.ts";
import { createWebhookSender } from "./egress/webhook-sender.ts";
import { guardListeners } from "./listeners.ts";
import { isIntegerWithin, requireIntegers, TIMER_MAX_MS, withoutUndefined } from "./option-values.ts";
import { systemClock, type Clock } from "./ports/clock.ts";
import { createSystemMachine, type Machine } from "./ports/machine.ts";
import { systemRandom, type Random } from "./ports/random.ts";
import type { Renderer } from "./ports/renderer.ts";
import type { Resolver } from "./ports/resolver.ts";
import type { Storage } from "./ports/storage.ts";
import type { WebhookSender } from "./ports/webhook-sender.ts";
import { RESERVATION_RETENTION_MS } from "./prune-periodically.ts";
import { DEFAULT_MAX_RENDERING_BYTES } from "./rendering-limit.ts";
import type { QuarantinedAccount } from "./schedule/render.ts";
import { maxRenders } from "./schedule/render-slots.ts";
import { PUBLIC_TARGETS_ONLY, type TargetPolicy } from "./targets/policy.ts";

export interface EngineOptions {
  readonly storage: Storage;
  readonly renderer: Renderer;
  /** Encrypts signing secrets and batch items' secrets at rest: any text of at least 16 characters. Never change it. */
  readonly secretKey: string;
  /** The built-in plans by default. */
  readonly plans?: readonly Plan[];
  /** By default the renderer's policy, or only public targets if it has none. */
  readonly targets?: TargetPolicy;
  /**
   * Maximum number of concurrent renders. Two per core, plus two, can always run. More start only while
   * cores are idle, because pages spend much of their time waiting for the network, and while memory is
   * available. By default one for each 128 MiB of memory available at startup, at least two per core plus
   * two, and at most 16 per core.
   */
  readonly concurrency?: number;
  /** Maximum number of renders that wait for a slot; 1,000 by default. */
  readonly maxWaiting?: number;
  /** Maximum number of one account's renders that wait for a slot; 250 by default. */
  readonly maxWaitingPerAccount?: number;
  /** Longest wait for a slot; 60,000 ms by default. */
  readonly maxWaitMs?: number;
  /**
   * An unresolved reservation lapses after this time, which must outlast the wait for a slot, the render and storing; a
   * render that ends later is free. By default `maxWaitMs` plus the renderer's time limit plus 30 s, and another 30 s
   * with `stores`: 135,000 ms with the other defaults and no `stores`.
   */
  readonly reservationLeaseMs?: number;
  /** Maximum size of a rendering, regardless of the renderer's own limit; 64 MiB by default. */
  readonly maxRenderingBytes?: number;
  /** Size of the in-memory cache; 64 MiB by default. */
  readonly memoryCacheBytes?: number;
  /** Base URL of the API, ending in `/v1`, for signed URLs. Without it, batches contain no signed URLs. */
  readonly baseUrl?: string;
  /** Time from the end of a batch to its deletion; 7 days by default. */
  readonly batchRetentionMs?: number;
  /**
   * How long balances and the journal are stored after their period ends: at least 35 days; 400 days by default; `null`
   * for forever.
   */
  readonly journalRetentionMs?: number | null;
  /** How long finished captures are stored for `engine.history`; `null`, the default, records none. At most 90 days. */
  readonly historyRetentionMs?: number | null;
  /**
   * How long a batch item is retried after a temporary failure, such as a rate limit, first postpones it; 15
   * minutes by default.
   */
  readonly batchRetryWindowMs?: number;
  /** A batch worker that has not renewed an item's lease for this long counts as lost; 20 s by default. */
  readonly itemLeaseMs?: number;
  /** Delays between attempts to deliver a webhook; 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h by default. */
  readonly webhookRetryDelaysMs?: readonly number[];
  /** Sends webhooks; by default over the network, only to allowed targets. */
  readonly webhookSender?: WebhookSender;
  /** Where callers can have renderings stored, by the name that they pass in `storeTo`; none by default. */
  readonly stores?: NamedStores;
  readonly clock?: Clock;
  readonly random?: Random;
  /** `systemResolver` by default. */
  readonly resolver?: Resolver;
  /**
   * Proxy for webhooks; set the same one for the renderer. If it resolves names, the engine looks up only the targets
   * that bypass it. None by default.
   */
  readonly upstreamProxy?: UpstreamProxy | null;
  /** Reports idle cores and available memory; by default, this machine's. */
  readonly machine?: Machine;
  /**
   * Which renders share a browser: all except those that the renderer isolates, such as those of accounts in
   * quarantine (`shared`, the default), or only those of the same account (`account`). Remote browsers are
   * always shared.
   */
  readonly isolation?: "shared" | "account";
  /** Called when an account is quarantined because one of its pages was ended, or killed an isolated browser. */
  readonly onQuarantined?: (quarantined: QuarantinedAccount) => void;
  /** Called with events to count: waits for a slot, how reservations end, and failures of the ledger. */
  readonly onEvent?: (event: EngineEvent) => void;
  /**
   * Called with failures that no caller sees, such as those of background work, and with errors that other listeners
   * throw.
   */
  readonly onBackgroundError?: (error: unknown) => void;
  /**
   * Called at startup and every minute for each of the storage's servers whose clock differs from this machine's by
   * more than 500 ms. Beyond 2 s the engine is not ready, and its worker claims nothing.
   */
  readonly onClockSkew?: (skew: ClockSkew) => void;
  /** Called for every batch item that this engine's worker finishes. */
  readonly onItemFinished?: (item: FinishedItem) => void;
  /** Called for every batch item of this engine's worker that a temporary failure, such as a rate limit, postpones. */
  readonly onItemPostponed?: (item: PostponedItem) => void;
  /** Called after every attempt to deliver a webhook, except those that a stopping worker aborts. */
  readonly onDeliveryAttempt?: (attempt: DeliveryAttempt) => void;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Instants that far ahead are still valid dates. */
const DURATION_MAX_MS = 36_500 * DAY_MS;
/** A receiver that is down for a day still gets its webhooks. */
const WEBHOOK_RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];

/** The options with every default applied. */
export type EngineSettings = Required<Omit<EngineOptions, "baseUrl">> & { readonly baseUrl: string | null };

const BOUNDS = {
  concurrency: { min: 1 },
  maxWaiting: { min: 1 },
  maxWaitingPerAccount: { min: 1 },
  maxWaitMs: { min: 0 },
  reservationLeaseMs: { min: 1 },
  maxRenderingBytes: { min: 1, max: Number.MAX_SAFE_INTEGER },
  memoryCacheBytes: { min: 0, max: Number.MAX_SAFE_INTEGER },
  batchRetentionMs: { min: 1, max: DURATION_MAX_MS },
  batchRetryWindowMs: { min: 0 },
  itemLeaseMs: { min: 1 },
} as const;

/** For name resolution, for caching, which can involve an object store, and for settling. */
const LEASE_MARGIN_MS = 30 * SECOND_MS;
const RENDER_TIMEOUT_MS = 45 * SECOND_MS;

/** Longest time that a render with a slot takes to render the page and to store the file for the caller. */
function longestRenderMs({ renderer, stores = {} }: Pick<EngineOptions, "renderer" | "stores">): number {
  const { renderTimeoutMs = RENDER_TIMEOUT_MS } = renderer;
  return renderTimeoutMs + (Object.keys(stores).length > 0 ? STORE_TIMEOUT_MS : 0);
}

/** For name resolution, caching, settling and the response, which seldom take a second. */
const FINISH_MARGIN_MS = 5_000;

/** Returns the latest instant at which even the longest render can start and still end by `endsAt`. */
export function lastStartBefore(endsAt: number, options: Pick<EngineOptions, "renderer" | "stores">): number {
  return endsAt - longestRenderMs(options) - FINISH_MARGIN_MS;
}

/** A reservation must outlast everything between `reserve` and `settle`, or the rendering is free. */
function defaultLeaseMs({ maxWaitMs = MINUTE_MS, ...options }: EngineOptions): number {
  return Math.min(TIMER_MAX_MS, maxWaitMs + longestRenderMs(options) + LEASE_MARGIN_MS);
}

/** @throws RangeError that names the option that is out of bounds. */
export function withDefaults(given: EngineOptions): EngineSettings {
  const options = withoutUndefined(given);
  const { resolver = systemResolver, renderer } = options;
  const { targets = renderer.targets ?? PUBLIC_TARGETS_ONLY, upstreamProxy = null } = options;
  const { machine = createSystemMachine() } = options;
  const settings: EngineSettings = {
    plans: BUILT_IN_PLANS,
    concurrency: maxRenders(machine.availableMemoryBytes()),
    machine,
    maxWaiting: 1000,
    maxWaitingPerAccount: 250,
    maxWaitMs: MINUTE_MS,
    reservationLeaseMs: defaultLeaseMs(options),
    maxRenderingBytes: DEFAULT_MAX_RENDERING_BYTES,
    memoryCacheBytes: 64 * 1024 * 1024,
    batchRetentionMs: BATCH_LIMITS.retentionMs,
    journalRetentionMs: 400 * DAY_MS,
    historyRetentionMs: null,
    batchRetryWindowMs: BATCH_LIMITS.retryWindowMs,
    // with the poll interval, another worker takes over a lost item within 30 s
    itemLeaseMs: 20 * SECOND_MS,
    webhookRetryDelaysMs: WEBHOOK_RETRY_DELAYS_MS,
    webhookSender: options.webhookSender ?? createWebhookSender({ policy: targets, resolver, upstreamProxy }),
    stores: {},
    clock: systemClock,
    random: systemRandom,
    resolver,
    upstreamProxy,
    targets,
    isolation: "shared",
    ...options,
    ...guardListeners(options),
    baseUrl: options.baseUrl ?? null,
  };
  requireIntegers(settings, BOUNDS);
  requireRetryDelays(settings);
  requireRetentions(settings);
  requirePlans(settings);
  requireBaseUrl(settings);
  if (settings.isolation !== "shared" && settings.isolation !== "account")
    throw new RangeError('isolation must be "shared" or "account"');
  return settings;
}

function requireRetryDelays({ webhookRetryDelaysMs }: EngineSettings): void {
  const bounds = { min: 0, max: DURATION_MAX_MS };
  if (!webhookRetryDelaysMs.every((delayMs) => isIntegerWithin(delayMs, bounds)))
    throw new RangeError(`webhookRetryDelaysMs must be integers from 0 to ${DURATION_MAX_MS} (100 years)`);
}

/** Links are the base URL with a path appended. */
function requireBaseUrl({ baseUrl }: EngineSettings): void {
  if (baseUrl !== null && !(URL.canParse(baseUrl) && /^https?:\/\/[^?#]*[^?#/]$/i.test(baseUrl)))
    throw new RangeError(
      "baseUrl must be an http or https URL without a query, a fragment or a final slash, such as https://snap.example.com/v1",
    );
}

function requirePlans({ plans }: EngineSettings): void {
  try {
    // an embedder's plans may have more fields
    parsePlans(
      plans.map(({ slug, name, creditsPerPeriod, requestsPerMinute }) => ({
        slug,
        name,
        creditsPerPeriod,
        requestsPerMinute,
      })),
    );
  } catch (error) {
    throw new RangeError(`plans are invalid: ${(error as Error).message}`, { cause: error });
  }
}

function requireRetentions({ journalRetentionMs, historyRetentionMs }: EngineSettings): void {
  if (!isRetention(journalRetentionMs, { minMs: RESERVATION_RETENTION_MS }))
    throw new RangeError(
      `journalRetentionMs must be an integer of at least ${RESERVATION_RETENTION_MS} (35 days), or null`,
    );
  if (!isRetention(historyRetentionMs, { minMs: 1, maxMs: HISTORY_RETENTION_MAX_MS }))
    throw new RangeError(
      `historyRetentionMs must be an integer from 1 to ${HISTORY_RETENTION_MAX_MS} (90 days), or null`,
    );
}

function isRetention(
  valueMs: number | null,
  { minMs, maxMs = Infinity }: { readonly minMs: number; readonly maxMs?: number },
): boolean {
  return valueMs === null || isIntegerWithin(valueMs, { min: minMs, max: maxMs });
}
