import type { UsageReport } from "@snap/protocol";
import { createAccounts, type Accounts } from "./accounts/accounts.ts";
import { createAuditLog, type AuditLog } from "./audit/audit.ts";
import { entitlementOf, usageReport } from "./accounts/entitlement.ts";
import type { BatchDependencies } from "./batches/batch-dependencies.ts";
import { createBatches, type Batches } from "./batches/batches.ts";
import { createItemLinks } from "./batches/item-links.ts";
import type { BatchWorker } from "./batches/worker.ts";
import { createWorkers } from "./batches/workers.ts";
import type { ClockSkew } from "./clocks/clock-skew.ts";
import { watchClocks } from "./clocks/watch-clocks.ts";
import type { Capture, CaptureDependencies, CaptureOptions, CaptureRequest } from "./capture.ts";
import { createCaptures } from "./captures.ts";
import { linkRendering, type LinkRequest, type RenderingLink } from "./cache/links.ts";
import { RunningRenders } from "./cache/running-renders.ts";
import { createRenderingCache } from "./cache/rendering-cache.ts";
import { createCreditReader, type CreditState } from "./credits/credits.ts";
import { createReversals } from "./credits/reversals.ts";
import { verifyLedger, type LedgerReport } from "./credits/verify-ledger.ts";
import { createTransferBudget } from "./limits/byte-budget.ts";
import { lastStartBefore, withDefaults, type EngineOptions, type EngineSettings } from "./engine-options.ts";
import { asSnapError } from "./errors.ts";
import { createLifetime, inOrderOnce } from "./lifetime.ts";
import { createHealthCheck, type Health } from "./health.ts";
import { createDocuments, type Documents } from "./documents/documents.ts";
import { createHistory, type History } from "./history/history.ts";
import { enforceRateLimit } from "./limits/enforce-rate-limit.ts";
import { createOperators, type Operators } from "./operators/operators.ts";
import type { Account } from "./ports/accounts.ts";
import type { ServerClock } from "./ports/clock.ts";
import type { StandingBalance } from "./ports/ledger.ts";
import type { CacheStats } from "./ports/renderings.ts";
import type { Storage } from "./ports/storage.ts";
import { prunePeriodically } from "./prune-periodically.ts";
import { createCacheKey } from "./parameters/cache-key.ts";
import { createParser } from "./parameters/parse-request.ts";
import { SINGLE_PROCESS_LEASES } from "./ports/render-leases.ts";
import { Quarantine } from "./schedule/quarantine.ts";
import { slotsForCores } from "./schedule/render-slots.ts";
import { createScheduler, type Scheduler, type SchedulerLoad } from "./schedule/scheduler.ts";
import type { Principal } from "./ports/tokens.ts";
import { authenticate } from "./tokens/authenticate.ts";
import { authenticateSigned, type SignedRequest } from "./tokens/authenticate-signed.ts";
import { createSeal, type Seal } from "./tokens/seal.ts";
import { createTokenUses } from "./tokens/token-uses.ts";
import { createTokens, type Tokens } from "./tokens/tokens.ts";

/** The rendering service without its HTTP API, console and tools. */
export interface Engine {
  /**
   * Returns the principal of a bearer token.
   * @throws SnapError `unauthenticated` or `account_suspended`.
   */
  authenticate(token: string): Promise<Principal>;
  /**
   * Verifies a signed query, parsed or as text; returns its principal and parameters.
   * @throws SnapError `invalid_signature`, `account_suspended`, `signed_url_expired` or `validation_failed`.
   */
  authenticateSigned(query: URLSearchParams | string): Promise<SignedRequest>;
  /**
   * Renders a page, or returns its rendering from the cache: the whole billed life cycle.
   * @throws SnapError; `docs/reference/errors.md` explains its codes.
   */
  capture(request: CaptureRequest & CaptureOptions): Promise<Capture>;
  /**
   * Returns a signed URL for the rendering that `capture` returned, or `null` if it is not cached: it did not fit in
   * the cache, or was requested with `cache: false` and not `linked`. Free of charge. The URL expires with the cache
   * entry or the token, whichever comes first.
   * @throws SnapError `validation_failed` if a parameter is secret.
   */
  link(request: LinkRequest): RenderingLink | null;
  /**
   * Returns the account's credits. Pass `standing`, the balance of a principal that was just authenticated, to avoid
   * reading the ledger; omit it if the account has been charged since.
   */
  credits(account: Account, standing?: StandingBalance | null): Promise<CreditState>;
  /**
   * Returns the usage report. Free of charge, and limited to 60 reports a minute.
   * @throws SnapError `rate_limited`.
   */
  usage(principal: Principal): Promise<UsageReport>;
  /**
   * Checks that the journal adds up to every balance, for all accounts or one. Reads the whole
   * journal of each.
   */
  verifyLedger(request?: { readonly accountId?: string | undefined }): Promise<LedgerReport>;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly batches: Batches;
  readonly documents: Documents;
  readonly audit: AuditLog;
  readonly history: History;
  readonly operators: Operators;
  /**
   * Starts a worker, which renders batches and delivers their webhooks; until then, batches are only queued. Several
   * processes can run workers on one storage. After `stop()` or the engine's `close()`, the worker claims nothing new;
   * both wait until the claimed items are finished or postponed, and abort webhook attempts after 3 s. An engine runs
   * one worker at a time: returns the running one, or starts another after `stop()`.
   * @throws SnapError `not_ready` after `close()`.
   */
  startWorker(): BatchWorker;
  /** Returns within two seconds whether the engine can render and store now and, if not, why. */
  health(): Promise<Health>;
  /** The storage's servers and their clocks; empty for a storage without servers. */
  readonly servers: readonly ServerClock[];
  /** Returns the differences between this machine's clock and those of the storage's servers, measured every minute. */
  clockSkews(): readonly ClockSkew[];
  /** Returns the numbers of running and waiting renders. */
  load(): SchedulerLoad;
  /** Returns how full the rendering cache is; `null` if its store cannot tell. */
  cacheStats(): Promise<CacheStats | null>;
  /** Deletes all cached renderings of one account or of all accounts; returns their number. */
  purgeRenderings(selection: { readonly accountId: string | null }): Promise<number>;
  /** Returns when the last backup was made; `null` before the first, or if the storage does not know. */
  lastBackupAt(): Promise<number | null>;
  /**
   * Call it before `close()` if captures are cut off after `durationMs`. A render whose slot
   * becomes free too late to finish by then fails with `upstream_rate_limited`, and costs nothing.
   */
  finishWithin(durationMs: number): void;
  /**
   * From now on, `authenticate`, `authenticateSigned`, `capture` and `startWorker` fail with `not_ready`. Stops the
   * worker, waits for the running deletion of expired records and for running captures, writes the rest of the history,
   * makes a last attempt at pending reversals, then closes the webhook sender, the renderer and the storage, even if an
   * earlier step fails. Further calls wait for the same steps.
   * @throws the first error of these steps.
   */
  close(): Promise<void>;
}

/**
 * Creates an engine.
 *
 * @throws RangeError that names an option that is out of bounds; Error if `secretKey` is too short.
 *
 * @example
 * const engine = createEngine({
 *   storage: await openSqliteStorage({ directory: "./data" }),
 *   renderer: createPuppeteerRenderer(),
 *   secretKey: process.env.SNAP_SECRET_KEY ?? "",
 * });
 * const { token } = await engine.accounts.ensure({ email: "ada@example.com" });
 * const principal = await engine.authenticate(token);
 * const { rendering } = await engine.capture({ principal, parameters: { url: "https://example.com" } });
 */
export function createEngine(options: EngineOptions): Engine {
  const settings = withDefaults(options);
  const { storage, renderer, clock, random, plans, onEvent, onBackgroundError } = settings;
  // throws if the key is too short, so it must run before anything starts
  const seal = createSeal(settings.secretKey, random);
  const clocks = watchClocks({ ...settings, servers: storage.clocks ?? [] });
  const workers = createWorkers(() => batchDependencies);
  const quarantine = new Quarantine(clock);
  const scheduler = openScheduler(settings, quarantine, () => workers.wake());
  const reversals = createReversals({ ledger: storage.ledger, clock, onEvent, onBackgroundError });
  const { tokens } = storage;
  const tokenIdsByHash = new Map<string, number>();
  const dependencies = assembleDependencies(settings, { seal, scheduler, quarantine, reversals });
  const captures = createCaptures(settings, { dependencies, seal });
  const credits = createCreditReader(dependencies);
  const batchDependencies: BatchDependencies = {
    ...dependencies,
    rules: { retentionMs: settings.batchRetentionMs, retryWindowMs: settings.batchRetryWindowMs },
    capture: captures.captureItem,
    recorder: captures.recorder,
    clocks,
    credits,
    linkItems: createItemLinks(dependencies),
    onSubmitted: () => workers.wake(),
  };
  const uses = createTokenUses({ store: tokens, clock, onBackgroundError });
  const stopPruning = prunePeriodically(settings);
  const lifetime = createLifetime();
  const close = inOrderOnce([
    () => lifetime.end(),
    () => clocks.stop(),
    () => workers.stop(),
    () => stopPruning(),
    () => captures.close(),
    () => reversals.close(),
    () => uses.close(),
    () => settings.webhookSender.close(),
    () => renderer.close(),
    () => storage.close(),
  ]);

  return {
    authenticate: lifetime.whileOpen(async (token) => {
      const principal = await asSnapError(authenticate({ tokens, tokenIdsByHash, now: clock.now() }, token));
      uses.record(principal.token);
      return principal;
    }),
    authenticateSigned: lifetime.whileOpen(async (query) => {
      const signed = await asSnapError(authenticateSigned({ tokens, seal, now: clock.now() }, query));
      uses.record(signed.principal.token);
      return signed;
    }),
    capture: lifetime.whileOpen((request) => asSnapError(captures.capture(request))),
    link: (request) => linkRendering(seal, request),
    credits: (account, standing) => asSnapError(credits(account, standing)),
    usage: ({ account }) => asSnapError(reportUsage(account)),
    verifyLedger: (request) => verifyLedger(storage.ledger, { ...request, now: clock.now() }),
    ...createAdministration(settings, { seal, tokenIdsByHash }),
    batches: withSnapErrors(createBatches(batchDependencies)),
    documents: createDocuments({ storage, clock }),
    startWorker() {
      lifetime.requireOpen();
      return workers.start();
    },
    health: createHealthCheck({ storage, renderer, clocks, clock }),
    servers: storage.clocks ?? [],
    clockSkews: () => clocks.skews(),
    load: () => scheduler.load(),
    cacheStats: () => storage.renderings.stats(),
    purgeRenderings: (selection) => storage.renderings.purge(selection),
    lastBackupAt: () => storage.lastBackupAt(),
    finishWithin: (durationMs) =>
      scheduler.rejectStartsAfter(lastStartBefore(clock.now() + durationMs, settings)),
    close,
  };

  async function reportUsage(account: Account): Promise<UsageReport> {
    const now = clock.now();
    await enforceRateLimit(storage.rateLimiter, { accountId: account.id, name: "usage", now });
    return usageReport(entitlementOf(account, plans, now), await credits(account));
  }
}

function openScheduler(
  settings: EngineSettings,
  quarantine: Quarantine,
  onCapacityChange: () => void,
): Scheduler {
  const slots = Math.min(slotsForCores(), settings.concurrency);
  return createScheduler({ ...settings, slots, quarantine, onCapacityChange });
}

/** Creates the parts of the engine that operators use. */
function createAdministration(
  { storage, clock, random, plans, historyRetentionMs }: EngineSettings,
  { seal, tokenIdsByHash }: { readonly seal: Seal; readonly tokenIdsByHash: Map<string, number> },
): Pick<Engine, "accounts" | "tokens" | "audit" | "history" | "operators"> {
  return {
    accounts: createAccounts({
      storage,
      plans,
      clock,
      random,
      seal,
      tokenIdsByHash,
    }),
    tokens: createTokens({ store: storage.tokens, accounts: storage.accounts, seal, clock, random }),
    audit: createAuditLog({ store: storage.audit, clock }),
    history: createHistory({ storage, clock, isRecorded: historyRetentionMs !== null }),
    operators: createOperators({ store: storage.signIns, clock, random }),
  };
}

/** Makes the callers' methods reject only with `SnapError`. */
function withSnapErrors(batches: Batches): Batches {
  return {
    ...batches,
    submit: (submission) => asSnapError(batches.submit(submission)),
    get: (request) => asSnapError(batches.get(request)),
    list: (request) => asSnapError(batches.list(request)),
    attempts: (request) => asSnapError(batches.attempts(request)),
    resend: (request) => asSnapError(batches.resend(request)),
  };
}

type EngineStoreName = "batches" | "documents" | "ledger" | "rateLimiter" | "renderings" | "tokens";

/** Everything that captures use; batches use it too. */
function assembleDependencies(
  settings: EngineSettings,
  parts: Pick<CaptureDependencies, "scheduler" | "quarantine" | "reversals"> & { readonly seal: Seal },
): EngineSettings & Pick<Storage, EngineStoreName> & typeof parts & CaptureDependencies {
  const { storage, clock, targets: policy, renderer, memoryCacheBytes: memoryBytes } = settings;
  // by name: a spread would lose stores that the object inherits, such as the getters of a class
  const { batches, documents, ledger, rateLimiter, renderings, tokens } = storage;
  const cacheKey = createCacheKey(parts.seal);
  return {
    batches,
    documents,
    ledger,
    rateLimiter,
    renderings,
    tokens,
    ...settings,
    ...parts,
    cacheKey,
    parse: createParser({ policy, renderer, cacheKey }),
    cache: createRenderingCache({ store: storage.renderings, clock, memoryBytes }),
    runningRenders: new RunningRenders(),
    renderLeases: storage.renderLeases ?? SINGLE_PROCESS_LEASES,
    isolatesAccounts: settings.isolation === "account",
    deliveryBudget: createTransferBudget(settings.maxRenderingBytes),
  };
}
