/** `link`: a sign-in link, which starts one session. `session`: an operator's session in a browser. */
export type SignInKind = "link" | "session";

/** Identifies a secret by its SHA-256, in lowercase hex. The secret itself is not stored. */
export interface SignInKey {
  readonly kind: SignInKind;
  readonly hash: string;
}

/** Operators' sign-in links and sessions. A link and a session can have the same hash. */
export interface SignInStore {
  insert(request: SignInKey & { readonly expiresAt: number }): Promise<void>;
  /** Returns the expiry; `null` if the link or session does not exist or has expired by `now`. */
  find(request: SignInKey & { readonly now: number }): Promise<number | null>;
  /**
   * Deletes a link or session; returns whether it existed and had not expired by `now`. If calls are concurrent, only
   * one returns `true`.
   */
  take(request: SignInKey & { readonly now: number }): Promise<boolean>;
  /** Deletes all links and sessions, expired ones included; returns their number. */
  clear(): Promise<number>;
  /** Deletes at most `limit` links and sessions that have expired by `now`; returns their number. */
  prune(request: { readonly now: number; readonly limit: number }): Promise<number>;
}
