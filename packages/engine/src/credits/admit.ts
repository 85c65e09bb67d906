import { entitlementOf } from "../accounts/entitlement.ts";
import type { CaptureParts } from "../capture-parts.ts";
import { judgedByLimit, requireAllowed, type SpentBudget } from "../limits/spend-budget.ts";
import type { StandingBalance } from "../ports/ledger.ts";
import type { Ability } from "../ports/tokens.ts";
import type { BoardingPass } from "../renderings/across-processes.ts";
import { isRemembered, principalOf, type Asker, type Principal } from "../tokens/asker.ts";
import { requirePermitted } from "../tokens/authenticate.ts";
import { reserveCredit, reserveAsRemembered } from "./credits.ts";

export interface AdmissionRequest {
  readonly asker: Asker;
  readonly mode: Ability;
  readonly pass: Pick<BoardingPass, "spent" | "request">;
  readonly reservationId: string;
}

/** Leave to render, paid for. */
export interface Admission {
  /** Who asks, as the storage had it. */
  readonly principal: Principal;
  readonly budget: SpentBudget;
  /** The balance without the credit that is reserved. */
  readonly reserved: StandingBalance;
}

/**
 * Judges what was spent of the budget, and reserves the credit: for whoever is remembered in one step with
 * the look whether they are as they were. Where they aren't, they are judged once more, as they are.
 *
 * @throws SnapError `rate_limited`, `no_active_plan` or `credit_limit_reached`; for somebody remembered also
 * what their token is refused with now.
 */
export async function admit(parts: AdmissionParts, request: AdmissionRequest): Promise<Admission> {
  const { asker, mode, pass, reservationId } = request;
  const { clock, ledger, plans, reservationLeaseMs: leaseMs } = parts;
  const now = clock.now();
  const principal = principalOf(asker);
  const { account } = principal;
  const entitlement = entitlementOf(account, plans, now);
  const limit = entitlement.requestsPerMinute;
  const spent = judgedByLimit(pass.spent, pass.request, limit);
  const budget = requireAllowed(spent, { budget: "render", limit, now });
  const wanted = { account, entitlement, reservationId, now, leaseMs };
  if (!isRemembered(asker)) return { principal, budget, reserved: await reserveCredit(ledger, wanted) };
  // Whoever had no plan may have one by now.
  const reserved =
    entitlement.period === null ? null : await reserveAsRemembered(ledger, { ...wanted, asker });
  if (reserved !== null) return { principal, budget, reserved };
  const current = await asker.current();
  requirePermitted(current, mode);
  return admit(parts, { ...request, asker: current });
}

type AdmissionParts = Pick<CaptureParts, "clock" | "ledger" | "plans" | "reservationLeaseMs">;
