import { LIMITS } from "@snap/protocol";
import { entitlementOf } from "./accounts/entitlement.ts";
import { lookUp } from "./cache/look-up.ts";
import { share, type ShareParts } from "./cache/share.ts";
import { store } from "./cache/store.ts";
import { refund, reserve, settle, type CreditParts, type Settle } from "./credits/reservation.ts";
import { spendBudget, type SpentBudget } from "./limits/spend-budget.ts";
import type { SentParameters, Understood } from "./parameters/understand.ts";
import type { BudgetStore } from "./ports/budgets.ts";
import type { Urgency } from "./ports/flights.ts";
import type { StandingBalance } from "./ports/ledger.ts";
import type { StoredRendering } from "./ports/renderings.ts";
import type { Principal } from "./ports/tokens.ts";
import { render, type RenderParts } from "./schedule/render.ts";
import { checkTarget } from "./targets/check-target.ts";
import { requireAbility, requireVerifiedEmail } from "./tokens/authorize.ts";

/** What is asked for, and by whom. */
export interface CaptureRequest {
  readonly principal: Principal;
  /** The query of a request, read or as text, or an object with real booleans and numbers. */
  readonly parameters: SentParameters;
  /** Tells whether the caller already holds the rendering of this entity tag. */
  readonly holds?: (etag: string) => boolean;
}

/** What batches and the Model Context Protocol ask of a capture beyond that. */
export interface CaptureOptions {
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

/** What the steps work with; `createEngine` puts it together. */
export interface CaptureParts extends ShareParts, CreditParts, RenderParts {
  readonly parse: (sent: SentParameters) => Understood;
  readonly budgets: BudgetStore;
}

/**
 * The billed life cycle, the same for every door: parse, authorize, check target, look up, share, limit, reserve,
 * render, store, settle. Each step is one call, and a request takes each of them once (decisions.md, checks in order).
 */
export async function capture(
  parts: CaptureParts,
  request: CaptureRequest & CaptureOptions,
): Promise<Capture> {
  const { principal, urgency = "interactive", linked = () => false } = request;
  const { account, token, balance } = principal;
  requireVerifiedEmail(account);
  const { parameters, mode, key: digest, verdict } = parts.parse(request.parameters);
  requireAbility(token, mode);
  checkTarget(verdict);

  const key = { accountId: account.id, key: digest };
  const askedAt = parts.clock.now();
  const kept = await lookUp(parts.cache, { key, parameters });
  if (kept !== null) return answerKept(parts, request, { rendering: kept, balance });

  const { maxWaitMs } = request;
  const shared = await share(parts, { key, parameters, urgency, askedAt, maxWaitMs });
  if (!shared.isLed) return answerKept(parts, request, { rendering: shared.rendering, balance: null });

  try {
    const budget = await limit(parts, principal);
    const reservation = await reserve(parts, account);
    const { hurried, begin: onBegin } = shared;
    const turn = { accountId: account.id, urgency, askedAt, maxWaitMs, hurried, onBegin };
    let rendering: StoredRendering;
    try {
      const file = await render(parts, parameters, turn);
      rendering = await store(parts, { key, parameters, file, led: shared, linked });
    } catch (error) {
      await refund(parts, reservation);
      throw error;
    }
    const isCharged = await settle(parts, { reservation, rendering, settle: request.settle });
    return {
      rendering,
      cache: parameters.cache ? "miss" : "bypass",
      unchanged: request.holds?.(rendering.etag) ?? false,
      budget,
      creditCost: isCharged ? 1 : 0,
      balance: isCharged ? reservation.balance : null,
      answeredAt: parts.clock.now(),
    };
  } catch (error) {
    shared.fail(error);
    throw error;
  }
}

/** Spends one of the account's renders a minute. */
function limit({ budgets, clock, plans }: CaptureParts, { account }: Principal): Promise<SpentBudget> {
  const now = clock.now();
  const { requestsPerMinute } = entitlementOf(account, plans, now);
  return spendBudget(budgets, { accountId: account.id, budget: "render", limit: requestsPerMinute, now });
}

/** An answer without a render; unchanged, it is free of both budgets (interface.md, 304). */
async function answerKept(
  { budgets, clock }: CaptureParts,
  { principal, holds }: CaptureRequest,
  { rendering, balance }: Pick<Capture, "rendering" | "balance">,
): Promise<Capture> {
  const unchanged = holds?.(rendering.etag) ?? false;
  const answeredAt = clock.now();
  const spend = {
    accountId: principal.account.id,
    budget: "cached",
    limit: LIMITS.cachedAnswersPerMinute,
    now: answeredAt,
  } as const;
  const budget = unchanged ? null : await spendBudget(budgets, spend);
  return { rendering, cache: "hit", unchanged, budget, creditCost: 0, balance, answeredAt };
}
