/** The parent of the console's path, which is `/console/` or, behind a proxy, a longer path. */
const SERVICE = new URL("../", document.baseURI);

/** The admin API, with a trailing slash. */
export const ADMIN_URL: string = new URL("admin/v1/", SERVICE).href;

/** `{base_url}` of the specification, without a trailing slash. */
export const BASE_URL: string = new URL("v1", SERVICE).href;

/**
 * Moves a signed URL to the origin of this page, because the console loads nothing from other origins. The signature
 * does not cover the origin.
 */
export function atOwnOrigin(signedUrl: string): string {
  return `${BASE_URL}/snap/signed${URL.canParse(signedUrl) ? new URL(signedUrl).search : ""}`;
}
