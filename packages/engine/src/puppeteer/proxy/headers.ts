/** Fields that are for the next hop only (RFC 9110, 7.6.1), and those that a proxy answers for itself. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "expect", // answered here: RFC 9110, 10.1.1
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade", // declined: a WebSocket comes through CONNECT
]);

/**
 * The end-to-end fields of a message, as the flat list of names and values that `node:http` reads and
 * writes; order, case and repetitions stay. `Connection` can name more fields to leave out, but not the
 * ones that the message's frame and address hang on.
 */
export function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  const named = new Set<string>();
  forEachField(rawHeaders, (name, value) => {
    if (name.toLowerCase() !== "connection") return;
    for (const option of value.split(",")) named.add(option.trim().toLowerCase());
  });
  named.delete("content-length");
  const kept: string[] = [];
  forEachField(rawHeaders, (name, value) => {
    const field = name.toLowerCase();
    if (!HOP_BY_HOP.has(field) && !named.has(field)) kept.push(name, value);
  });
  return kept;
}

/** The fields of a forwarded request: end to end, with `host` as its one Host (RFC 9112, 3.2.2). */
export function forwardedHeaders(rawHeaders: readonly string[], host: string): string[] {
  const headers = ["Host", host];
  forEachField(endToEndHeaders(rawHeaders), (name, value) => {
    if (name.toLowerCase() !== "host") headers.push(name, value);
  });
  return headers;
}

function forEachField(rawHeaders: readonly string[], visit: (name: string, value: string) => void): void {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    visit(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  }
}
