import type { CreditState } from "@snap/engine";
import { HEADERS } from "@snap/protocol";
import type { OutgoingHttpHeaders } from "node:http";

/** `X-Credits-*`; the reset is left out for an account without a period (decisions.md). */
export function creditHeaders({ limit, remaining, resetsAt }: CreditState): OutgoingHttpHeaders {
  return {
    [HEADERS.creditsLimit]: limit,
    [HEADERS.creditsRemaining]: remaining,
    ...(resetsAt !== null && { [HEADERS.creditsReset]: Math.floor(resetsAt / 1000) }),
  };
}
