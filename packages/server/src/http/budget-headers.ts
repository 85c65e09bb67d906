import type { SpentBudget } from "@snap/engine";
import { HEADERS } from "@snap/protocol";
import type { OutgoingHttpHeaders } from "node:http";

/** The rate-limit pair; nothing for an answer that was counted against no budget. */
export function budgetHeaders(budget: SpentBudget | null): OutgoingHttpHeaders {
  if (budget === null) return {};
  return { [HEADERS.rateLimitLimit]: budget.limit, [HEADERS.rateLimitRemaining]: budget.remaining };
}
