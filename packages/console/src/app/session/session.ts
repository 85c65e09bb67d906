import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { createAdminApi, signIn, type AdminApi } from "../api/admin.ts";
import { toFailure, type ApiFailure } from "../api/failure.ts";
import { createServiceApi, type ServiceApi } from "../api/service.ts";
import { notify } from "../ui/notices.tsx";
import { forgetTokens, readToken, storeToken } from "./stored-tokens.ts";

/** A session of the console: an operator's or a token holder's. */
export type Session =
  | { readonly kind: "operator"; readonly admin: AdminApi }
  | { readonly kind: "token"; readonly token: string; readonly service: ServiceApi };

export type SessionState =
  | { readonly kind: "starting" }
  | { readonly kind: "signed-out"; readonly reason: SignedOutReason | null }
  /** `code` is from the sign-in link, for a retry; `null` without one. */
  | { readonly kind: "failed"; readonly failure: ApiFailure; readonly code: string | null }
  | Session;

export const SIGNED_OUT_MESSAGES = {
  "link-invalid": "This sign-in link has already been used or has expired. Create a new one.",
  "session-ended": "Your session has ended. Create a new sign-in link.",
  "token-rejected":
    "The service no longer accepts your token. It may have expired, or been revoked or rotated.",
  "signed-out": "You are signed out.",
} as const;

export type SignedOutReason = keyof typeof SIGNED_OUT_MESSAGES;

/**
 * Starts a session with the code from a sign-in link, the token stored in this tab, or the session cookie.
 *
 * @param onEnd called when the service rejects the session or the token.
 */
export async function startSession(
  code: string | null,
  onEnd: (reason: SignedOutReason) => void,
): Promise<SessionState> {
  const admin = createAdminApi(() => onEnd("session-ended"));
  try {
    const isRejected = code !== null && !(await succeeds(() => signIn(code)));
    if (code !== null && !isRejected) forgetTokens();
    const token = readToken("session");
    if (token !== null) {
      if (isRejected) notify(SIGNED_OUT_MESSAGES["link-invalid"]);
      return startTokenSession(token, onEnd);
    }
    const reason = isRejected ? "link-invalid" : null;
    return (await succeeds(admin.session)) ? { kind: "operator", admin } : { kind: "signed-out", reason };
  } catch (error) {
    return { kind: "failed", failure: toFailure(error), code };
  }
}

export function startTokenSession(token: string, onEnd: (reason: SignedOutReason) => void): Session {
  storeToken("session", token);
  return { kind: "token", token, service: createServiceApi(token, () => onEnd("token-rejected")) };
}

/** Returns `false` if the call fails with 401; rethrows any other error. */
async function succeeds(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (toFailure(error).status === 401) return false;
    throw error;
  }
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("This component needs a session.");
  return session;
}

/** Returns the service's API, called with the token. Only screens for token holders can use it. */
export function useService(): ServiceApi {
  const session = useSession();
  if (session.kind !== "token") throw new Error("This screen needs a token.");
  return session.service;
}

/** Returns the admin API. Only screens for operators can use it. */
export function useAdmin(): AdminApi {
  const session = useSession();
  if (session.kind !== "operator") throw new Error("This screen needs an operator's session.");
  return session.admin;
}
