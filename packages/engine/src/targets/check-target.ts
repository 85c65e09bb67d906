import { URL_MESSAGES } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import type { TargetVerdict } from "./target.ts";

/**
 * Rejects a target by the form of its URL, before a cache look-up or a reservation.
 *
 * @throws SnapError `blocked_host`, or `invalid_url` for a malformed URL or one with a user name or password.
 */
export function checkTarget(verdict: TargetVerdict): void {
  if (verdict === "ok") return;
  if (verdict === "blocked") throw blockedHost();
  const message = URL_MESSAGES[verdict];
  throw new SnapError("invalid_url", `url ${message}`, { errors: { url: [message] } });
}

/** Vague on purpose: it reveals nothing about the blocked address. */
export function blockedHost(): SnapError {
  return new SnapError("blocked_host", "The page is on, or leads to, a host that is not publicly reachable.");
}

/** A name that does not exist is for the caller to correct. */
export function unresolvedHost(detail?: string): SnapError {
  return new SnapError(
    "target_unreachable",
    "The page's host name could not be resolved.",
    detail === undefined ? {} : { detail },
  );
}

/** A proxy that is down says nothing about the page either. */
export function upstreamProxyFailed(detail: string): SnapError {
  return new SnapError("upstream_error", "The service cannot reach the internet for now. Retry shortly.", {
    detail,
    isTransient: true,
  });
}

/** A resolver that fails says nothing about the page, so that a retry may succeed. */
export function resolverFailed(detail: string): SnapError {
  return new SnapError("upstream_error", "Name resolution failed for the page's host. Retry shortly.", {
    detail,
    isTransient: true,
  });
}
