import { LIMITS, type UsageReport } from "@snap/protocol";
import { availableParallelism } from "node:os";
import { createAccounts, type Accounts } from "./accounts/accounts.ts";
import { entitlementOf } from "./accounts/entitlement.ts";
import { BUILT_IN_PLANS, type Plan } from "./accounts/plans.ts";
import { usageReport } from "./accounts/usage-report.ts";
import {
  capture,
  concernsCallerAlone,
  type Capture,
  type CaptureParts,
  type CaptureRequest,
} from "./capture.ts";
import { readCredits, type CreditState } from "./credits/credits.ts";
import { toSnapError } from "./errors.ts";
import { spendBudget } from "./limits/spend-budget.ts";
import type { Account } from "./ports/accounts.ts";
import { systemClock, type Clock } from "./ports/clock.ts";
import { systemRandom, type Random } from "./ports/random.ts";
import type { Renderer } from "./ports/renderer.ts";
import { systemResolver, type Resolver } from "./ports/resolver.ts";
import type { Storage } from "./ports/storage.ts";
import { createRenderingCache } from "./renderings/rendering-cache.ts";
import { SingleFlight } from "./renderings/single-flight.ts";
import { createScheduler } from "./schedule/scheduler.ts";
import { PUBLIC_TARGETS_ONLY, type TargetPolicy } from "./target/policy.ts";
import { authenticate, type Principal } from "./tokens/authenticate.ts";
import { authenticateSigned, type SignedRequest } from "./tokens/authenticate-signed.ts";
import { createSeal } from "./tokens/seal.ts";
import { createTokens, type Tokens } from "./tokens/tokens.ts";

export interface EngineOptions {
  readonly storage: Storage;
  readonly renderer: Renderer;
  /** Encrypts signing secrets at rest: any text of at least 16 characters, kept for good. */
  readonly secretKey: string;
  /** The built-in plans unless given. */
  readonly plans?: readonly Plan[];
  /** Public targets only unless given; give the renderer the same. */
  readonly targets?: TargetPolicy;
  /**
   * How many renders run at once; twice the processors and one more unless given. One slot is always
   * kept from an account that fills all the others.
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
  readonly clock?: Clock;
  readonly random?: Random;
  readonly resolver?: Resolver;
  /** Told of what no caller hears: background failures. */
  readonly onBackgroundError?: (error: unknown) => void;
}

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
  capture(request: CaptureRequest): Promise<Capture>;
  /** The account's credits now. */
  credits(account: Account): Promise<CreditState>;
  /**
   * The usage report; spends the budget of 60 a minute, and no credit.
   * @throws SnapError `rate_limited`.
   */
  usage(principal: Principal): Promise<UsageReport>;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  /** Whether it can render and store now, and if not, why. */
  health(): Promise<{ readonly ready: boolean; readonly reasons: readonly string[] }>;
  /** Renders that run and wait. */
  load(): { readonly running: number; readonly waiting: number };
  /** Lets running renders finish, then frees renderer and storage. */
  close(): Promise<void>;
}

/** Small batches, soon after one another while there is more: a large one would hold up requests. */
const PRUNE_BATCH = 100;
const PRUNE_INTERVAL_MS = 60_000;
const PRUNE_AGAIN_MS = 100;

/**
 * Puts an engine together.
 *
 * @example
 * const engine = createEngine({
 *   storage: await openSqliteStorage({ directory: "./data" }),
 *   renderer: createPuppeteerRenderer(),
 *   secretKey: process.env.SNAP_SECRET_KEY,
 * });
 * const account = await engine.accounts.create({ email: "ada@example.com", planSlug: "starter", verified: true });
 * const { token } = await engine.tokens.create({ accountId: account.id });
 * const principal = await engine.authenticate(token);
 * const { rendering } = await engine.capture({ principal, parameters: { url: "https://example.com" } });
 */
export function createEngine(options: EngineOptions): Engine {
  const { storage, renderer } = options;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const plans = options.plans ?? BUILT_IN_PLANS;
  const onBackgroundError = options.onBackgroundError ?? (() => {});
  const concurrency = options.concurrency ?? 2 * availableParallelism() + 1;
  const scheduler = createScheduler({
    concurrency,
    maxRunningPerAccount: Math.max(1, concurrency - 1),
    maxWaiting: options.maxWaiting ?? 1000,
    maxWaitingPerAccount: options.maxWaitingPerAccount ?? 250,
    maxWaitMs: options.maxWaitMs ?? 60_000,
    clock,
  });
  const parts: CaptureParts = {
    ledger: storage.ledger,
    budgets: storage.budgets,
    cache: createRenderingCache({
      store: storage.renderings,
      clock,
      memoryBytes: options.memoryCacheBytes ?? 64 * 1024 * 1024,
    }),
    flights: new SingleFlight(concernsCallerAlone),
    scheduler,
    renderer,
    resolver: options.resolver ?? systemResolver,
    clock,
    random,
    plans,
    targets: options.targets ?? PUBLIC_TARGETS_ONLY,
    reservationLeaseMs: options.reservationLeaseMs ?? 120_000,
    onRefundFailed: onBackgroundError,
  };
  const credits = (account: Account): Promise<CreditState> => {
    const now = clock.now();
    return readCredits(storage.ledger, { account, entitlement: entitlementOf(account, plans, now), now });
  };
  const seal = createSeal(options.secretKey, random);
  const stopPruning = prunePeriodically({ storage, clock, onBackgroundError });

  return {
    authenticate: (token) => asSnapError(authenticate(storage.tokens, token, clock.now())),
    authenticateSigned: (query) =>
      asSnapError(authenticateSigned({ store: storage.tokens, seal, now: clock.now() }, query)),
    capture: (request) => asSnapError(capture(parts, request)),
    credits: (account) => asSnapError(credits(account)),
    usage: ({ account }) => asSnapError(report(account)),
    accounts: createAccounts({ store: storage.accounts, plans, clock, random }),
    tokens: createTokens({
      store: storage.tokens,
      accounts: storage.accounts,
      seal,
      clock,
      random,
    }),
    async health() {
      const [stored, rendered] = await Promise.allSettled([storage.check(), renderer.health()]);
      const reasons: string[] = [];
      if (stored.status === "rejected") reasons.push(`storage: ${String(stored.reason)}`);
      if (rendered.status === "rejected") reasons.push(`renderer: ${String(rendered.reason)}`);
      else if (!rendered.value.ready) reasons.push(`renderer: ${rendered.value.reason ?? "not ready"}`);
      return { ready: reasons.length === 0, reasons };
    },
    load: () => scheduler.load(),
    async close() {
      stopPruning();
      await scheduler.idle();
      await renderer.close();
      await storage.close();
    },
  };

  async function report(account: Account): Promise<UsageReport> {
    const now = clock.now();
    const limit = LIMITS.usageReportsPerMinute;
    await spendBudget(storage.budgets, { accountId: account.id, budget: "usage", limit, now });
    return usageReport(entitlementOf(account, plans, now), await credits(account));
  }
}

async function asSnapError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toSnapError(error);
  }
}

function prunePeriodically(options: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly onBackgroundError: (error: unknown) => void;
}): () => void {
  const { storage, clock, onBackgroundError } = options;
  let callOff = (): void => {};
  let stopped = false;
  const prune = async (): Promise<void> => {
    let pruned = 0;
    try {
      pruned = await storage.renderings.prune({ now: clock.now(), limit: PRUNE_BATCH });
    } catch (error) {
      onBackgroundError(error);
    }
    schedule(pruned === PRUNE_BATCH ? PRUNE_AGAIN_MS : PRUNE_INTERVAL_MS);
  };
  const schedule = (delayMs: number): void => {
    if (!stopped) callOff = clock.after(delayMs, () => void prune());
  };
  schedule(PRUNE_INTERVAL_MS);
  return () => {
    stopped = true;
    callOff();
  };
}
