import { SESSION_MS } from "@snap/engine/internals";
import type { IncomingMessage } from "node:http";

/** Behind TLS, the prefix prevents other hosts of the domain from setting the cookie (RFC 6265bis, 4.1.3.2). */
function nameOf(isSecure: boolean): string {
  return isSecure ? "__Host-snap_session" : "snap_session";
}

/** Returns the `Set-Cookie` header that starts a session; `null` ends it. */
export function sessionCookie(session: string | null, isSecure: boolean): string {
  const maxAgeSeconds = session === null ? 0 : SESSION_MS / 1000;
  const secure = isSecure ? "; Secure" : "";
  return `${nameOf(isSecure)}=${session ?? ""}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

/** Returns the value of the session cookie; `null` if it is absent or malformed. */
export function sessionOf({ headers }: IncomingMessage, isSecure: boolean): string | null {
  const prefix = `${nameOf(isSecure)}=`;
  const pair = (headers.cookie ?? "").split(/; */).find((part) => part.startsWith(prefix));
  const value = pair?.slice(prefix.length) ?? "";
  return /^[\w-]{1,128}$/.test(value) ? value : null;
}
