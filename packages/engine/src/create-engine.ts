import { LIMITS, type UsageReport } from "@snap/protocol";
import { createAccounts, type Accounts } from "./accounts/accounts.ts";
import { entitlementOf, usageReport } from "./accounts/entitlement.ts";
import type { BatchParts } from "./batches/batch-parts.ts";
import { createBatches, type Batches } from "./batches/batches.ts";
import { startBatchWorker, type BatchWorker } from "./batches/worker.ts";
import {
  capture,
  type Capture,
  type CaptureOptions,
  type CaptureParts,
  type CaptureRequest,
} from "./capture.ts";
import { linkRendering, type LinkRequest, type RenderingLink } from "./cache/links.ts";
import { RunningRenders } from "./cache/running-renders.ts";
import { createRenderingCache } from "./cache/rendering-cache.ts";
import { readCredits, type CreditState } from "./credits/credits.ts";
import { createReversals, type Reversals } from "./credits/reversals.ts";
import { withDefaults, type EngineOptions, type EngineSettings } from "./engine-options.ts";
import { toSnapError } from "./errors.ts";
import { enforceRateLimit } from "./limits/enforce-rate-limit.ts";
import type { Account } from "./ports/accounts.ts";
import type { StandingBalance } from "./ports/ledger.ts";
import type { Renderer } from "./ports/renderer.ts";
import type { Storage } from "./ports/storage.ts";
import { prunePeriodically } from "./prune-periodically.ts";
import { createParser } from "./parameters/parse-request.ts";
import { SINGLE_PROCESS_LEASES } from "./ports/render-leases.ts";
import { steadySlots } from "./schedule/render-slots.ts";
import { createScheduler, type Scheduler, type SchedulerLoad } from "./schedule/scheduler.ts";
import type { Principal } from "./ports/tokens.ts";
import { authenticate } from "./tokens/authenticate.ts";
import { authenticateSigned, type SignedRequest } from "./tokens/authenticate-signed.ts";
import { createSeal, type Seal } from "./tokens/seal.ts";
import { createTokens, type Tokens } from "./tokens/tokens.ts";

/** The rendering service without its doors. */
export interface Engine {
  /**
   * Who a bearer token stands for.
   * @throws SnapError `unauthenticated`.
   */
  authenticate(token: string): Promise<Principal>;
  /**
   * Who a signed query stands for, and what it asks for.
   * @throws SnapError `invalid_signature`, `signed_url_expired` or `validation_failed`.
   */
  authenticateSigned(query: URLSearchParams): Promise<SignedRequest>;
  /**
   * Renders a page, or answers it from the cache: the whole billed life cycle.
   * @throws SnapError with any code of the contract's Errors section.
   */
  capture(request: CaptureRequest & CaptureOptions): Promise<Capture>;
  /**
   * A signed URL of what `capture` answered to a `linked` request, for those who have no token. Costs
   * nothing; it ends with the kept copy, or with the token.
   */
  link(request: LinkRequest): RenderingLink;
  /**
   * The account's credits now. With the balance of a principal that was authenticated just now, and
   * after which nothing was charged, this reads no more.
   */
  credits(account: Account, standing?: StandingBalance | null): Promise<CreditState>;
  /**
   * The usage report; spends the budget of 60 a minute, and no credit.
   * @throws SnapError `rate_limited`.
   */
  usage(principal: Principal): Promise<UsageReport>;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly batches: Batches;
  /**
   * Starts to work through batches and their webhooks, beside what other processes over the same
   * storage do; without it they are only queued. `stop()` takes nothing new and resolves once what it
   * holds is finished; `close()` does so too.
   */
  startWorker(): BatchWorker;
  /** Whether it can render and store now, and if not, why. */
  health(): Promise<{ readonly ready: boolean; readonly reasons: readonly string[] }>;
  /** Renders that run and wait. */
  load(): SchedulerLoad;
  /** Lets running renders finish, makes a last attempt at pending reversals, then frees renderer and storage. */
  close(): Promise<void>;
}

/**
 * Puts an engine together.
 *
 * @example
 * const engine = createEngine({
 *   storage: await openSqliteStorage({ directory: "./data" }),
 *   renderer: createPuppeteerRenderer(),
 *   secretKey: process.env.SNAP_SECRET_KEY ?? "",
 * });
 * const account = await engine.accounts.create({ email: "ada@example.com", planSlug: "starter", verified: true });
 * const { token } = await engine.tokens.create({ accountId: account.id });
 * const principal = await engine.authenticate(token);
 * const { rendering } = await engine.capture({ principal, parameters: { url: "https://example.com" } });
 */
export function createEngine(options: EngineOptions): Engine {
  const settings = withDefaults(options);
  const { storage, renderer, clock, random, plans, concurrency, onBackgroundError } = settings;
  const slots = Math.min(steadySlots(), concurrency);
  let worker: BatchWorker | null = null;
  const scheduler = createScheduler({
    slots,
    concurrency,
    maxWaiting: settings.maxWaiting,
    maxWaitingPerAccount: settings.maxWaitingPerAccount,
    maxWaitMs: settings.maxWaitMs,
    clock,
    machine: settings.machine,
    onChange: () => worker?.wake(),
  });
  const reversals = createReversals({ ledger: storage.ledger, clock, onBackgroundError });
  const { tokens } = storage;
  const seal = createSeal(settings.secretKey, random);
  const captures = trackCaptures(captureParts(settings, { scheduler, reversals }), seal);
  const credits = (account: Account, standing?: StandingBalance | null): Promise<CreditState> => {
    const now = clock.now();
    const entitlement = entitlementOf(account, plans, now);
    return readCredits(storage.ledger, { account, entitlement, now, standing });
  };
  const batchParts: BatchParts = {
    ...storage,
    ...settings,
    seal,
    rules: { retentionMs: settings.batchRetentionMs, retryWindowMs: settings.batchRetryWindowMs },
    capture: captures.capture,
    credits,
    load: () => scheduler.load(),
    onSubmitted: () => worker?.wake(),
  };
  const batches = createBatches(batchParts);
  const stopPruning = prunePeriodically({ storage, clock, onBackgroundError });

  return {
    authenticate: (token) => asSnapError(authenticate(tokens, token, clock.now())),
    authenticateSigned: (query) => asSnapError(authenticateSigned({ tokens, seal, now: clock.now() }, query)),
    capture: (request) => asSnapError(captures.capture(request)),
    link: (request) => linkRendering(seal, request),
    credits: (account, standing) => asSnapError(credits(account, standing)),
    usage: ({ account }) => asSnapError(report(account)),
    accounts: createAccounts({ store: storage.accounts, plans, clock, random }),
    tokens: createTokens({ store: storage.tokens, accounts: storage.accounts, seal, clock, random }),
    batches: {
      ...batches,
      submit: (submission) => asSnapError(batches.submit(submission)),
      get: (asked) => asSnapError(batches.get(asked)),
    },
    startWorker: () => (worker ??= startBatchWorker(batchParts)),
    health: () => checkHealth(storage, renderer),
    load: () => scheduler.load(),
    async close() {
      stopPruning();
      await worker?.stop();
      await captures.idle();
      await reversals.close();
      await settings.webhookSender.close();
      await renderer.close();
      await storage.close();
    },
  };

  async function report(account: Account): Promise<UsageReport> {
    const now = clock.now();
    const limit = LIMITS.usageReportsPerMinute;
    await enforceRateLimit(storage.rateLimiter, { accountId: account.id, name: "usage", limit, now });
    return usageReport(entitlementOf(account, plans, now), await credits(account));
  }
}

/** `capture`, and a way to wait for those that are running. */
function trackCaptures(
  parts: CaptureParts,
  seal: Seal,
): { readonly capture: Engine["capture"]; readonly idle: () => Promise<void> } {
  const running = new Set<Promise<Capture>>();
  return {
    async capture(request) {
      // A link that cannot be signed, because the secret key has changed, must fail before the charge.
      if (request.linked !== undefined) seal.open(request.principal.token.sealedSigningSecret);
      const captured = capture(parts, request);
      running.add(captured);
      try {
        return await captured;
      } finally {
        running.delete(captured);
      }
    },
    async idle() {
      await Promise.allSettled(running);
    },
  };
}

function captureParts(
  settings: EngineSettings,
  { scheduler, reversals }: { readonly scheduler: Scheduler; readonly reversals: Reversals },
): CaptureParts {
  const { storage, clock, random, plans, targets, renderer, resolver } = settings;
  const { reservationLeaseMs, memoryCacheBytes: memoryBytes, onBackgroundError } = settings;
  return {
    parse: createParser(targets),
    cache: createRenderingCache({ store: storage.renderings, clock, memoryBytes }),
    runningRenders: new RunningRenders(),
    renderLeases: storage.renderLeases ?? SINGLE_PROCESS_LEASES,
    rateLimiter: storage.rateLimiter,
    ledger: storage.ledger,
    reversals,
    scheduler,
    renderer,
    resolver,
    targets,
    plans,
    clock,
    random,
    reservationLeaseMs,
    onBackgroundError,
  };
}

async function checkHealth(storage: Storage, renderer: Renderer): ReturnType<Engine["health"]> {
  const [stored, rendered] = await Promise.allSettled([storage.check(), renderer.health()]);
  const reasons: string[] = [];
  if (stored.status === "rejected") reasons.push(`storage: ${String(stored.reason)}`);
  if (rendered.status === "rejected") reasons.push(`renderer: ${String(rendered.reason)}`);
  else if (!rendered.value.ready) reasons.push(`renderer: ${rendered.value.reason ?? "not ready"}`);
  return { ready: reasons.length === 0, reasons };
}

async function asSnapError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toSnapError(error);
  }
}
