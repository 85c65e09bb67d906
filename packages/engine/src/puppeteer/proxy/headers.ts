/** Hop-by-hop fields (RFC 9110, 7.6.1), and those that the proxy handles itself. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "expect", // handled here (RFC 9110, 10.1.1)
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade", // declined: WebSockets use CONNECT
]);

/**
 * Returns a message's end-to-end fields as the flat list of names and values that `node:http` uses; preserves order,
 * case and repetitions. Removes the fields that `Connection` names, except `Content-Length`, which frames the message.
 */
function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  const named = new Set<string>();
  forEachField(rawHeaders, (name, value) => {
    if (name.toLowerCase() !== "connection") return;
    for (const option of value.split(",")) named.add(option.trim().toLowerCase());
  });
  named.delete("content-length");
  const endToEnd: string[] = [];
  forEachField(rawHeaders, (name, value) => {
    const field = name.toLowerCase();
    if (!HOP_BY_HOP.has(field) && !named.has(field)) endToEnd.push(name, value);
  });
  return endToEnd;
}

/** Returns a request's end-to-end fields, with `host` as its only Host (RFC 9112, 3.2.2). */
export function forwardedHeaders(rawHeaders: readonly string[], host: string): string[] {
  const headers = ["Host", host];
  forEachField(endToEndHeaders(rawHeaders), (name, value) => {
    if (name.toLowerCase() !== "host") headers.push(name, value);
  });
  return headers;
}

/** The characters that Node does not send in a field; its parser for responses accepts all but line breaks. */
const CONTROL_CHARACTERS = /[^\t -~\x80-\xff]/g;

/**
 * Returns a response's end-to-end fields, corrected. A transfer coding overrides `Content-Length`, which must not be
 * forwarded with a body of another length (RFC 9112, 6.3); control characters become spaces (RFC 9110, 5.5).
 */
export function responseHeaders(rawHeaders: readonly string[]): string[] {
  let hasTransferCoding = false;
  forEachField(rawHeaders, (name) => (hasTransferCoding ||= name.toLowerCase() === "transfer-encoding"));
  const headers: string[] = [];
  forEachField(endToEndHeaders(rawHeaders), (name, value) => {
    if (!hasTransferCoding || name.toLowerCase() !== "content-length")
      headers.push(name, value.replace(CONTROL_CHARACTERS, " "));
  });
  return headers;
}

function forEachField(rawHeaders: readonly string[], visit: (name: string, value: string) => void): void {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    visit(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  }
}
