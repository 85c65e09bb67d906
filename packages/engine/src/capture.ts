import { LIMITS } from "@snap/protocol";
import { isDeepStrictEqual } from "node:util";
import { entitlementOf } from "./accounts/entitlement.ts";
import type { CaptureParts } from "./capture-parts.ts";
import { admit } from "./credits/admit.ts";
import { charge, type Settle } from "./credits/charge.ts";
import { newReservationId } from "./credits/reservation-id.ts";
import { isSnapError } from "./errors.ts";
import { spendBudget, spendRequest, type SpentBudget } from "./limits/spend-budget.ts";
import type { SnapParameters } from "./parameters/schemas.ts";
import type { SentParameters } from "./parameters/understand.ts";
import type { SpendRequest } from "./ports/budgets.ts";
import type { StandingBalance } from "./ports/ledger.ts";
import { WAIT_CAPPED } from "./ports/renderer.ts";
import type { RenderingKey, StoredRendering } from "./ports/renderings.ts";
import type { Ability } from "./ports/tokens.ts";
import { findOrBoard, passWithoutFlight, type BoardingPass } from "./renderings/across-processes.ts";
import { linkedCopy } from "./renderings/linked-copy.ts";
import { renderTarget } from "./renderings/render-target.ts";
import { toStoredRendering } from "./renderings/rendering-cache.ts";
import type { SingleFlight } from "./renderings/single-flight.ts";
import type { Urgency } from "./schedule/fair-queue.ts";
import type { Scheduler } from "./schedule/scheduler.ts";
import { requireTarget } from "./target/require-target.ts";
import { isRemembered, principalOf, type Asker, type Principal } from "./tokens/asker.ts";
import { requireAbility, requirePermitted, requireVerifiedEmail } from "./tokens/authenticate.ts";

/** What is asked for, and by whom. */
export interface CaptureRequest {
  /** Somebody remembered is looked up again on the way, in time to be refused. */
  readonly principal: Asker;
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

/** A rendering, and what it took to get it. */
export interface Capture {
  /** Who asked, as the storage had it when this was answered or charged. */
  readonly principal: Principal;
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
  readonly render: Pick<Capture, "principal" | "creditCost" | "balance"> & { readonly budget: SpentBudget };
}

/** A rendering that was kept already. */
interface Kept {
  readonly rendering: StoredRendering;
  readonly render: null;
  /** For a render of another process. */
  readonly waited: boolean;
}

export interface SharingCaptureParts extends CaptureParts {
  readonly flights: SingleFlight<Rendered | Kept>;
}

/**
 * The billed life cycle, the same for every door: parse, permit, target, cache lookup, spend budget,
 * reserve credit, render, store, settle (decisions.md, checks in order).
 */
export async function capture(parts: SharingCaptureParts, request: CaptureRequest): Promise<Capture> {
  const { principal: asker } = request;
  try {
    return await captureAs(parts, request);
  } catch (error) {
    // Whoever was refused as they are remembered is judged as they are now.
    if (!isRemembered(asker) || asker.isChecked() || !isSnapError(error)) throw error;
    const principal = await asker.current();
    if (isSame(principal, asker.remembered)) throw error;
    return captureAs(parts, { ...request, principal });
  }
}

async function captureAs(parts: SharingCaptureParts, request: CaptureRequest): Promise<Capture> {
  const { principal: asker } = request;
  const { account, token } = principalOf(asker);
  const holds = request.holds ?? (() => false);
  requireVerifiedEmail(account);
  const { parameters, key: name, verdict } = parts.understand(request.parameters);
  const mode = parameters.pdf ? "pdf" : "screenshot";
  requireAbility(token, mode);
  requireTarget(verdict);

  const { urgency = "interactive", linked = () => false } = request;
  const settle = request.settle ?? ((settlement) => parts.ledger.settle(settlement));
  const turn = { accountId: account.id, urgency, maxWaitMs: request.maxWaitMs };
  const billed = { asker, mode, parameters, turn, settle } as const;
  const spend = (): SpendRequest => {
    const now = parts.clock.now();
    const limit = entitlementOf(account, parts.plans, now).requestsPerMinute;
    return spendRequest({ accountId: account.id, budget: "render", limit, now });
  };
  if (!parameters.cache) {
    const pass = await passWithoutFlight(parts.acrossProcesses, spend());
    const copyOf = (fresh: StoredRendering): Copy =>
      linked(fresh) ? linkedCopy(parameters, fresh) : { key: null, rendering: fresh };
    const { rendering, render } = await renderBilled(parts, { ...billed, pass, copyOf });
    const answeredAt = parts.clock.now();
    const unchanged = holds(rendering.etag);
    return { rendering, cache: "bypass", unchanged, ...render, answeredAt };
  }

  const key: RenderingKey = { accountId: account.id, key: name };
  const held = parts.cache.recall(key);
  if (held !== null && suits(held, parameters)) return hit(parts, request, { rendering: held, mode });

  const wait = sentWait(parameters) ? "strict" : "capped";
  const flight = `${wait}:${key.key}:${key.accountId}`;
  const { value, led } = await parts.flights.share(flight, async (): Promise<Rendered | Kept> => {
    const find = async (): Promise<StoredRendering | null> => {
      const kept = await parts.cache.lookup(key);
      return kept === null || !suits(kept, parameters) ? null : kept;
    };
    const isLikely = parts.cache.holds(key);
    const board = await findOrBoard(parts.acrossProcesses, { name: flight, key, find, isLikely, spend });
    if (board.found !== null) return { rendering: board.found, render: null, waited: board.waited };
    const copyOf = (fresh: StoredRendering): Copy => ({ key: key.key, rendering: fresh });
    return renderBilled(parts, { ...billed, pass: board.pass, copyOf });
  });
  const { rendering, render } = value;
  if (!led || render === null) {
    const isStale = !led || (render === null && value.waited);
    return hit(parts, request, { rendering, mode, isStale });
  }
  const answeredAt = parts.clock.now();
  return { rendering, cache: "miss", unchanged: holds(rendering.etag), ...render, answeredAt };
}

/** An unchanged hit is free of both budgets (interface.md, 304). */
async function hit(
  { budgets, clock }: CaptureParts,
  { principal: asker, holds }: CaptureRequest,
  found: {
    readonly rendering: StoredRendering;
    readonly mode: Ability;
    /** The balance has changed since it was read with the token. */
    readonly isStale?: boolean;
  },
): Promise<Capture> {
  const { rendering, mode, isStale = false } = found;
  const principal = isRemembered(asker) ? await asker.current() : asker;
  if (isRemembered(asker)) requirePermitted(principal, mode);
  const balance = isStale && !isRemembered(asker) ? null : principal.balance;
  const unchanged = holds?.(rendering.etag) ?? false;
  const answeredAt = clock.now();
  const spend = { accountId: principal.account.id, budget: "cached", now: answeredAt } as const;
  const limit = LIMITS.cachedAnswersPerMinute;
  const budget = unchanged ? null : await spendBudget(budgets, { ...spend, limit });
  return { principal, rendering, cache: "hit", unchanged, budget, creditCost: 0, balance, answeredAt };
}

/** A refusal that says nothing about the page: an identical request is judged for itself. */
export function concernsCallerAlone(error: unknown): boolean {
  return isSnapError(error) && CALLER_REFUSALS.has(error.code);
}

/** A refusal of the budget, or of what is checked before it (decisions.md, checks in order). */
function spendsNothing(error: unknown): boolean {
  return isSnapError(error) && UNSPENT_REFUSALS.has(error.code);
}

const UNSPENT_REFUSALS: ReadonlySet<string> = new Set([
  "unauthenticated",
  "invalid_signature",
  "email_unverified",
  "missing_ability",
  "rate_limited",
]);

const CALLER_REFUSALS: ReadonlySet<string> = new Set([
  ...UNSPENT_REFUSALS,
  "no_active_plan",
  "credit_limit_reached",
]);

function isSame(one: Principal, other: Principal): boolean {
  return isDeepStrictEqual([one.token, one.account], [other.token, other.account]);
}

/** A rendering as it is kept, and under what name; `null` keeps none. */
interface Copy {
  readonly key: string | null;
  readonly rendering: StoredRendering;
}

interface BilledRender {
  readonly asker: Asker;
  readonly mode: Ability;
  readonly parameters: SnapParameters;
  readonly turn: Parameters<Scheduler["run"]>[0];
  readonly settle: Settle;
  readonly pass: BoardingPass;
  readonly copyOf: (fresh: StoredRendering) => Copy;
}

/** A `waitUntil` that was sent is strict (decisions.md): a capture cut short is none that was asked for. */
function suits(kept: StoredRendering, parameters: SnapParameters): boolean {
  return !(sentWait(parameters) && kept.notes.includes(WAIT_CAPPED));
}

function sentWait(parameters: SnapParameters): boolean {
  return !parameters.pdf && parameters.waitUntil !== undefined;
}

/** Stored before it is settled: nobody is charged for what is not there (architecture.md). */
async function renderBilled(parts: CaptureParts, billed: BilledRender): Promise<Rendered> {
  const { asker, mode, settle, pass } = billed;
  const reservationId = newReservationId(parts.random, parts.clock.now());
  try {
    const admission = { asker, mode, pass, reservationId };
    const { principal, budget, reserved } = await admit(parts, admission).catch(async (error: unknown) => {
      if (pass.spent.allowed && spendsNothing(error)) await pass.giveBack();
      throw error;
    });
    const rendering = await renderAndKeep(parts, billed, reservationId);
    const isCharged = (await charge(parts, { reservationId, rendering, settle })) === "settled";
    const paid = isCharged
      ? ({ creditCost: 1, balance: reserved } as const)
      : ({ creditCost: 0, balance: null } as const);
    return { rendering, render: { principal, budget, ...paid } };
  } finally {
    pass.abandon();
  }
}

/** The credit is given back where there is no rendering. */
async function renderAndKeep(
  parts: CaptureParts,
  { asker, parameters, turn, pass, copyOf }: BilledRender,
  reservationId: string,
): Promise<StoredRendering> {
  const { clock, ledger, scheduler } = parts;
  try {
    const file = await scheduler.run(turn, () => renderTarget(parts, parameters));
    const ttlSeconds = parameters.cacheTtl ?? LIMITS.cacheTtlDefaultSeconds;
    const { key, rendering } = copyOf(toStoredRendering(file, { now: clock.now(), ttlSeconds }));
    const { id: accountId } = principalOf(asker).account;
    if (key !== null) await parts.cache.keep({ accountId, key }, rendering, pass.put);
    return rendering;
  } catch (error) {
    await ledger.refund({ reservationId, now: clock.now() }).catch(parts.onLedgerFailed);
    throw error;
  }
}
