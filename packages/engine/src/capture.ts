import { LIMITS } from "@snap/protocol";
import { entitlementOf } from "./accounts/entitlement.ts";
import type { Plan } from "./accounts/plans.ts";
import { reserveCredit } from "./credits/credits.ts";
import { newReservationId } from "./credits/reservation-id.ts";
import { resolveTarget } from "./egress/resolve-target.ts";
import { isSnapError, SnapError } from "./errors.ts";
import { spendBudget, type SpentBudget } from "./limits/spend-budget.ts";
import type { SnapParameters } from "./parameters/schemas.ts";
import type { SentParameters, Understood } from "./parameters/understand.ts";
import type { Account } from "./ports/accounts.ts";
import type { BudgetStore } from "./ports/budgets.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ledger, Resolution, StandingBalance } from "./ports/ledger.ts";
import type { Random } from "./ports/random.ts";
import { WAIT_CAPPED, type RenderedFile, type Renderer } from "./ports/renderer.ts";
import type { RenderingKey, StoredRendering } from "./ports/renderings.ts";
import type { Resolver } from "./ports/resolver.ts";
import { findOrMake, type AcrossProcesses } from "./renderings/across-processes.ts";
import { linkedCopy } from "./renderings/linked-copy.ts";
import { toStoredRendering, type RenderingCache } from "./renderings/rendering-cache.ts";
import type { SingleFlight } from "./renderings/single-flight.ts";
import type { Urgency } from "./schedule/fair-queue.ts";
import type { Scheduler } from "./schedule/scheduler.ts";
import { blockedHost, requireTarget } from "./target/require-target.ts";
import type { TargetPolicy } from "./target/policy.ts";
import { requireAbility, requireVerifiedEmail, type Principal } from "./tokens/authenticate.ts";

/** What is asked for, and by whom. */
export interface CaptureRequest {
  readonly principal: Principal;
  /** The query of a request, read or as text, or an object with real booleans and numbers. */
  readonly parameters: SentParameters;
  /** Tells whether the caller already holds the rendering of this entity tag. */
  readonly holds?: (etag: string) => boolean;
  /** `interactive` unless given. */
  readonly urgency?: Urgency;
  /** Longest wait for a turn, where the caller is known to give up sooner; the engine's own unless given. */
  readonly maxWaitMs?: number;
  /**
   * Tells whether `link` has to lead to the rendering. One that was asked for with `cache: false` is
   * then kept after all, under a name of its own; no others are unless given.
   */
  readonly linked?: (fresh: StoredRendering) => boolean;
  /** Charges the credit together with what else has to be written then; by the ledger alone unless given. */
  readonly settle?: Settle;
}

/** Settles the reservation of a rendering that is stored; answers how the reservation ended. */
export type Settle = (settlement: {
  readonly reservationId: string;
  readonly rendering: StoredRendering;
  readonly now: number;
}) => Promise<Resolution>;

/** A rendering, and what it took to get it. */
export interface Capture {
  readonly rendering: StoredRendering;
  /** `hit`: nothing was rendered. `miss`: rendered now and kept. `bypass`: rendered now, not kept. */
  readonly cache: "hit" | "miss" | "bypass";
  /** The caller holds this very rendering already. */
  readonly unchanged: boolean;
  /** The budget that was spent; `null` for an unchanged hit, which spends none. */
  readonly budget: SpentBudget | null;
  readonly creditCost: 0 | 1;
  /**
   * The account's balance: as it was read with the token, or as the reservation of this render left it.
   * `null` where neither tells what is left now, as another call's render was waited for.
   */
  readonly balance: StandingBalance | null;
  /** Instant of this answer; `rendering.expiresAt` less this is what is left of the rendering's life. */
  readonly answeredAt: number;
}

/** A rendering made now, and what it took. */
interface Rendered {
  readonly rendering: StoredRendering;
  readonly render: Pick<Capture, "creditCost" | "balance"> & { readonly budget: SpentBudget };
}

/** A rendering that was kept already. */
interface Kept {
  readonly rendering: StoredRendering;
  readonly render: null;
  /** For a render of another process. */
  readonly waited: boolean;
}

/** What `capture` works with; `createEngine` puts it together. */
export interface CaptureParts {
  readonly understand: (sent: SentParameters) => Understood;
  readonly ledger: Ledger;
  readonly budgets: BudgetStore;
  readonly cache: RenderingCache;
  readonly flights: SingleFlight<Rendered | Kept>;
  readonly acrossProcesses: AcrossProcesses;
  readonly scheduler: Scheduler;
  readonly renderer: Renderer;
  readonly resolver: Resolver;
  readonly clock: Clock;
  readonly random: Random;
  readonly plans: readonly Plan[];
  readonly targets: TargetPolicy;
  readonly reservationLeaseMs: number;
  /** Told of a settlement or refund that could not be written; the reservation then lapses by itself. */
  readonly onLedgerFailed: (error: unknown) => void;
}

/**
 * The billed life cycle, the same for every door: parse, permit, target, cache lookup, spend budget,
 * reserve credit, render, store, settle (decisions.md, checks in order).
 */
export async function capture(parts: CaptureParts, request: CaptureRequest): Promise<Capture> {
  const { account, token } = request.principal;
  const holds = request.holds ?? (() => false);
  requireVerifiedEmail(account);
  const { parameters, key: name, verdict } = parts.understand(request.parameters);
  requireAbility(token, parameters.pdf ? "pdf" : "screenshot");
  requireTarget(verdict);

  const { urgency = "interactive", linked = () => false } = request;
  const settle = request.settle ?? ((settlement) => parts.ledger.settle(settlement));
  const turn = { accountId: account.id, urgency, maxWaitMs: request.maxWaitMs };
  const billed: BilledRender = { account, parameters, turn, settle };
  if (!parameters.cache) {
    const copyOf = (fresh: StoredRendering): Copy =>
      linked(fresh) ? linkedCopy(parameters, fresh) : { key: null, rendering: fresh };
    const { rendering, render } = await renderBilled(parts, billed, copyOf);
    const answeredAt = parts.clock.now();
    const unchanged = holds(rendering.etag);
    return { rendering, cache: "bypass", unchanged, ...render, answeredAt };
  }

  const key: RenderingKey = { accountId: account.id, key: name };
  const held = parts.cache.recall(key);
  if (held !== null && suits(held, parameters))
    return hit(parts, request, { rendering: held, balance: request.principal.balance });

  const wait = sentWait(parameters) ? "strict" : "capped";
  const flight = `${wait}:${key.key}:${key.accountId}`;
  const { value, led } = await parts.flights.share(flight, async (): Promise<Rendered | Kept> => {
    const find = async (): Promise<{ readonly rendering: StoredRendering; readonly render: null } | null> => {
      const kept = await parts.cache.lookup(key);
      return kept === null || !suits(kept, parameters) ? null : { rendering: kept, render: null };
    };
    const make = (): Promise<Rendered> =>
      renderBilled(parts, billed, (fresh) => ({ key: key.key, rendering: fresh }));
    const { value: found, waited } = await findOrMake(parts.acrossProcesses, { name: flight, find, make });
    return found.render === null ? { ...found, waited } : found;
  });
  const { rendering, render } = value;
  if (render === null) {
    const balance = led && !value.waited ? request.principal.balance : null;
    return hit(parts, request, { rendering, balance });
  }
  if (!led) return hit(parts, request, { rendering, balance: null });
  const answeredAt = parts.clock.now();
  return { rendering, cache: "miss", unchanged: holds(rendering.etag), ...render, answeredAt };
}

/** An unchanged hit is free of both budgets (interface.md, 304). */
async function hit(
  { budgets, clock }: CaptureParts,
  { principal, holds }: CaptureRequest,
  found: Pick<Capture, "rendering" | "balance">,
): Promise<Capture> {
  const unchanged = holds?.(found.rendering.etag) ?? false;
  const answeredAt = clock.now();
  const spend = { accountId: principal.account.id, budget: "cached", now: answeredAt } as const;
  const limit = LIMITS.cachedAnswersPerMinute;
  const budget = unchanged ? null : await spendBudget(budgets, { ...spend, limit });
  return { ...found, cache: "hit", unchanged, budget, creditCost: 0, answeredAt };
}

/** A refusal that says nothing about the page: an identical request is judged for itself. */
export function concernsCallerAlone(error: unknown): boolean {
  return isSnapError(error) && CALLER_REFUSALS.has(error.code);
}

const CALLER_REFUSALS: ReadonlySet<string> = new Set([
  "rate_limited",
  "no_active_plan",
  "credit_limit_reached",
]);

interface BilledRender {
  readonly account: Account;
  readonly parameters: SnapParameters;
  readonly turn: Parameters<Scheduler["run"]>[0];
  readonly settle: Settle;
}

/** A rendering as it is kept, and under what name; `null` keeps none. */
interface Copy {
  readonly key: string | null;
  readonly rendering: StoredRendering;
}

/** A `waitUntil` that was sent is strict (decisions.md): a capture cut short is none that was asked for. */
function suits(kept: StoredRendering, parameters: SnapParameters): boolean {
  return !(sentWait(parameters) && kept.notes.includes(WAIT_CAPPED));
}

function sentWait(parameters: SnapParameters): boolean {
  return !parameters.pdf && parameters.waitUntil !== undefined;
}

/** Stored before it is settled: nobody is charged for what is not there (architecture.md). */
async function renderBilled(
  parts: CaptureParts,
  { account, parameters, turn, settle }: BilledRender,
  copyOf: (fresh: StoredRendering) => Copy,
): Promise<Rendered> {
  const { budgets, clock, ledger, scheduler } = parts;
  const now = clock.now();
  const entitlement = entitlementOf(account, parts.plans, now);
  const limit = entitlement.requestsPerMinute;
  const budget = await spendBudget(budgets, { accountId: account.id, budget: "render", limit, now });
  const reservationId = newReservationId(parts.random, now);
  const leaseMs = parts.reservationLeaseMs;
  const reserved = await reserveCredit(ledger, { account, entitlement, reservationId, now, leaseMs });
  let rendering: StoredRendering;
  try {
    const file = await scheduler.run(turn, () => renderTarget(parts, parameters));
    const ttlSeconds = parameters.cacheTtl ?? LIMITS.cacheTtlDefaultSeconds;
    const copy = copyOf(toStoredRendering(file, { now: clock.now(), ttlSeconds }));
    rendering = copy.rendering;
    if (copy.key !== null) await parts.cache.keep({ accountId: account.id, key: copy.key }, rendering);
  } catch (error) {
    await ledger.refund({ reservationId, now: clock.now() }).catch(parts.onLedgerFailed);
    throw error;
  }
  const isCharged = (await charge(parts, { reservationId, rendering, settle })) === "settled";
  return {
    rendering,
    render: { budget, creditCost: isCharged ? 1 : 0, balance: isCharged ? reserved : null },
  };
}

/**
 * Settles the credit of a rendering that is there. Where the answer to that is lost, the refund tells: what
 * was charged all the same is answered, or a failure would have been charged.
 *
 * @throws what the settlement threw, when the credit is given back, or lapses by itself.
 */
async function charge(
  { ledger, clock, onLedgerFailed }: CaptureParts,
  {
    reservationId,
    rendering,
    settle,
  }: {
    readonly reservationId: string;
    readonly rendering: StoredRendering;
    readonly settle: Settle;
  },
): Promise<Resolution> {
  try {
    return await settle({ reservationId, rendering, now: clock.now() });
  } catch (error) {
    const ending = await ledger.refund({ reservationId, now: clock.now() }).catch(onLedgerFailed);
    if (ending === "settled") return ending;
    throw error;
  }
}

/** What the name resolves to is judged here, and again by the egress proxy at each connection. */
async function renderTarget(parts: CaptureParts, parameters: SnapParameters): Promise<RenderedFile> {
  const { resolver, targets: policy } = parts;
  const verdict = await resolveTarget({ url: parameters.url, policy, resolver });
  if (verdict === "blocked") throw blockedHost();
  if (verdict === "unresolved")
    throw new SnapError("target_unreachable", "The host name of the page could not be resolved.");
  return parts.renderer.render(parameters);
}
