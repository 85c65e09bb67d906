import type { IncomingMessage } from "node:http";

/** RFC 6750, 2.1; the name of a scheme knows no case (RFC 9110, 11.1). Empty when there is none. */
export function credentialOf({ headers }: IncomingMessage): string {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}
