import { SnapError } from "../errors.ts";
import type { TargetVerdict } from "./target.ts";

/**
 * Refuses a target by the form of its address, before anything is looked up or spent.
 *
 * @throws SnapError `blocked_host`; `invalid_url` for an address with a user name or password.
 */
export function checkTarget(verdict: TargetVerdict): void {
  if (verdict === "ok") return;
  if (verdict === "blocked") throw blockedHost();
  const message =
    verdict === "credentials"
      ? "must not contain a user name or password"
      : "is not an address that can be rendered";
  throw new SnapError("invalid_url", `url ${message}`, { errors: { url: [message] } });
}

/** Vague on purpose: it doesn't tell what stands behind the refused address. */
export function blockedHost(): SnapError {
  return new SnapError("blocked_host", "The page is, or leads to, a host that is not publicly reachable.");
}
