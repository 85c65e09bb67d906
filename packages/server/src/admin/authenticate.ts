import { SnapError, type Engine } from "@snap/engine";
import { equalsInConstantTime, type AdminSession } from "@snap/protocol";
import type { Request } from "express";
import { createHash } from "node:crypto";
import { credentialOf } from "../requests/credential.ts";
import { ownOriginOf, requireOwnOrigin } from "./own-origin.ts";
import { sessionOf } from "./session-cookie.ts";

/** An authenticated user of the admin API. */
export interface Operator {
  readonly user: AdminSession["user"];
  /** The console session; `null` for the admin token. */
  readonly session: { readonly id: string; readonly expiresAt: number } | null;
}

export interface AuthenticationOptions {
  /** The admin token; `null` if none is set. */
  readonly token: string | null;
  /** Whether to accept console sessions. */
  readonly acceptsSessions: boolean;
  /** Origin of the console's pages; `null` takes it from each request. */
  readonly origin: string | null;
}

/** Authenticates with the admin token or, without a bearer token, with a session cookie. */
export function createAuthentication(
  { operators }: Pick<Engine, "operators">,
  { token, acceptsSessions, origin }: AuthenticationOptions,
): (request: Request) => Promise<Operator> {
  return async (request) => {
    const credential = credentialOf(request);
    if (credential !== "") {
      // comparing digests does not reveal the length of the token
      if (token !== null && equalsInConstantTime(digestOf(credential), digestOf(token)))
        return { user: "admin token", session: null };
      throw unauthenticated();
    }
    const ownOrigin = ownOriginOf(request, origin);
    const id = acceptsSessions ? sessionOf(request, ownOrigin.startsWith("https:")) : null;
    if (id === null) throw unauthenticated();
    requireOwnOrigin(request, ownOrigin);
    const expiresAt = await operators.findSession(id);
    if (expiresAt === null) throw unauthenticated();
    return { user: "console", session: { id, expiresAt } };
  };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function unauthenticated(): SnapError {
  return new SnapError(
    "unauthenticated",
    "Sign in with a link from `snap-server console`, or send the admin token as a bearer token.",
  );
}
