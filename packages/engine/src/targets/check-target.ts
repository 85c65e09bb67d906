import { URL_MESSAGES } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import type { TargetVerdict } from "./target.ts";

/**
 * Rejects a target based on its URL alone, before a cache lookup or a reservation.
 *
 * @throws SnapError `blocked_host`, or `invalid_url` for a malformed URL or one with a user name or password.
 */
export function checkTarget(verdict: TargetVerdict): void {
  if (verdict === "ok") return;
  if (verdict === "blocked") throw blockedHost();
  const message = URL_MESSAGES[verdict];
  throw new SnapError("invalid_url", `url ${message}`, { errors: { url: [message] } });
}

/** Deliberately vague, to reveal nothing about the blocked address. */
export function blockedHost(detail?: string): SnapError {
  return new SnapError(
    "blocked_host",
    "The URL leads to a host or port that the service blocks, such as a private address.",
    { detail },
  );
}

/** The caller must correct a name that does not exist. */
export function unresolvedHost(detail?: string): SnapError {
  return new SnapError("target_unreachable", "The page's host name could not be resolved.", { detail });
}

/** The proxy's failure is unrelated to the page, so a retry may succeed. */
export function upstreamProxyFailed(detail: string): SnapError {
  return new SnapError(
    "upstream_error",
    "The service cannot reach the internet at the moment. Retry shortly.",
    {
      detail,
      isTransient: true,
    },
  );
}

/** The resolver's failure is unrelated to the page, so a retry may succeed. */
export function resolverFailed(detail: string): SnapError {
  return new SnapError("upstream_error", "Name resolution failed for the page's host. Retry shortly.", {
    detail,
    isTransient: true,
  });
}
