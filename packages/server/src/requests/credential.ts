import type { IncomingMessage } from "node:http";

/** The bearer token (RFC 6750, 2.1), or an empty string. The scheme is case-insensitive (RFC 9110, 11.1). */
export function credentialOf({ headers }: IncomingMessage): string {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}
