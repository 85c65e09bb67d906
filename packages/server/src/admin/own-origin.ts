import { SnapError } from "@snap/engine";
import type { Request } from "express";

/**
 * Returns the origin of the console's pages.
 *
 * @param origin The configured origin; `null` takes it from the request.
 */
export function ownOriginOf(request: Request, origin: string | null): string {
  if (origin !== null) return origin;
  // behind a trusted proxy, `protocol` is the client's; some proxies add the default port to `Host`, which no
  // `Origin` contains
  return URL.parse(`${request.protocol}://${request.headers.host ?? ""}`)?.origin ?? "";
}

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/**
 * Checks that a sign-in, or a request with a session cookie, comes from the service's own pages:
 * `SameSite=Strict` still allows other hosts of the domain and other ports. Writes must have the
 * right `Origin`, and no request may have a wrong `Sec-Fetch-Site`.
 *
 * @throws SnapError `forbidden`.
 */
export function requireOwnOrigin(request: Request, ownOrigin: string): void {
  const { origin, "sec-fetch-site": site } = request.headers;
  const isSafe = SAFE_METHODS.has(request.method);
  const isOwnSite = site === undefined || site === "same-origin" || (isSafe && site === "none");
  if (isOwnSite && (isSafe || origin === ownOrigin)) return;
  throw new SnapError("forbidden", `Console sessions work only on pages of ${ownOrigin}.`, {
    detail: `origin ${origin ?? "absent"}, sec-fetch-site ${site ?? "absent"}`,
  });
}
