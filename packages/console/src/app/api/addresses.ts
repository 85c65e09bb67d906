/** The parent of the console's path, which is `/console/` or, behind a proxy, a longer path. */
const SERVICE = new URL("../", document.baseURI);

/** The admin API, with a trailing slash. */
export const ADMIN_URL: string = new URL("admin/v1/", SERVICE).href;

/** Base URL of the API, without a trailing slash. */
export const BASE_URL: string = new URL("v1", SERVICE).href;

/**
 * Replaces the base URL of a signed URL with this page's, because the console loads nothing from other origins. The
 * signature does not cover the base URL.
 */
export function toOwnOrigin(signedUrl: string): string {
  return `${BASE_URL}/snap/signed${URL.canParse(signedUrl) ? new URL(signedUrl).search : ""}`;
}
