import type { FoundToken } from "../ports/tokens.ts";

/** Who asks: a token, the account that owns it, and the balance that was read with them. */
export type Principal = FoundToken;

/** Whom a token stood for when this process last looked. Nothing is answered or charged before it looks again. */
export interface RememberedPrincipal {
  readonly remembered: Principal;
  /**
   * Whom it stands for now.
   * @throws SnapError as the first look did: the token may be gone, or have expired.
   */
  readonly lookAgain: () => Promise<Principal>;
}

/** Who asks for a capture. */
export type Asker = Principal | RememberedPrincipal;

export function isRemembered(asker: Asker): asker is RememberedPrincipal {
  return "remembered" in asker;
}

/** Who asks, as far as is known. */
export function principalOf(asker: Asker): Principal {
  return isRemembered(asker) ? asker.remembered : asker;
}

/** Who asks, as the storage has it. */
export async function currentPrincipalOf(asker: Asker): Promise<Principal> {
  return isRemembered(asker) ? asker.lookAgain() : asker;
}
