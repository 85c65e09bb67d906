import type { Clock } from "../ports/clock.ts";
import type { Random } from "../ports/random.ts";
import type { SignInKey, SignInKind, SignInStore } from "../ports/sign-ins.ts";
import { hashSecret } from "../tokens/token-text.ts";

const CODE_BYTES = 32;
const MINUTE_MS = 60_000;
/** Lifetime of a session. */
export const SESSION_MS = 12 * 60 * MINUTE_MS;
const LIFETIME_MS: Readonly<Record<SignInKind, number>> = { link: 10 * MINUTE_MS, session: SESSION_MS };

/** Sign-in links and console sessions. The storage contains only their hashes. */
export interface Operators {
  /** Returns the code for a sign-in link, which works once and expires after ten minutes. */
  createLink(): Promise<{ readonly code: string; readonly expiresAt: number }>;
  /** Starts a twelve-hour session; returns `null` if the code is wrong, used or expired. */
  signIn(code: string): Promise<{ readonly session: string; readonly expiresAt: number } | null>;
  /** Returns when the session ends; `null` if it is unknown or has ended. */
  findSession(session: string): Promise<number | null>;
  signOut(session: string): Promise<void>;
  /**
   * Ends all sessions and unused links; returns their number, which includes expired ones that are still
   * stored.
   */
  signOutAll(): Promise<number>;
}

export interface OperatorsOptions {
  readonly store: SignInStore;
  readonly clock: Clock;
  readonly random: Random;
}

export function createOperators({ store, clock, random }: OperatorsOptions): Operators {
  const issue = async (
    kind: SignInKind,
  ): Promise<{ readonly secret: string; readonly expiresAt: number }> => {
    const secret = Buffer.from(random.bytes(CODE_BYTES)).toString("base64url");
    const expiresAt = clock.now() + LIFETIME_MS[kind];
    await store.insert({ ...keyOf(kind, secret), expiresAt });
    return { secret, expiresAt };
  };
  return {
    async createLink() {
      const { secret: code, expiresAt } = await issue("link");
      return { code, expiresAt };
    },
    async signIn(code) {
      if (!(await store.take({ ...keyOf("link", code), now: clock.now() }))) return null;
      const { secret: session, expiresAt } = await issue("session");
      return { session, expiresAt };
    },
    findSession: (session) => store.find({ ...keyOf("session", session), now: clock.now() }),
    async signOut(session) {
      await store.take({ ...keyOf("session", session), now: clock.now() });
    },
    signOutAll: () => store.clear(),
  };
}

function keyOf(kind: SignInKind, secret: string): SignInKey {
  return { kind, hash: hashSecret(secret) };
}
