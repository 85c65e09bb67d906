/**
 * The base address without a trailing slash. One without a path is a service at its root, whose API is
 * under `/v1`.
 *
 * What was given is not in the message: it may be a token in the wrong place, or carry a password.
 *
 * @throws TypeError when it isn't the address of a service.
 */
export function readBaseUrl(given: string | URL): string {
  const url = URL.canParse(String(given)) ? new URL(given) : null;
  // Credentials, a query and a fragment would be lost without a word.
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username + url.password + url.search + url.hash !== ""
  )
    throw new TypeError(
      "baseUrl must look like https://snap.example.com/v1, without user name, password, query and fragment.",
    );
  const path = url.pathname.replace(/\/+$/, "");
  return url.origin + (path || "/v1");
}
