import type { FoundToken } from "../ports/tokens.ts";

/** Who asks: a token, the account that owns it, and the balance that was read with them. */
export type Principal = FoundToken;

/**
 * Whom a token stood for when this process last looked, for one request. Nothing is answered or charged
 * before they are checked: looked up again, or seen by the storage to be as they are remembered.
 */
export interface RememberedPrincipal {
  readonly remembered: Principal;
  /**
   * Whom it stands for now; looked up at the first call.
   * @throws SnapError as the first look did: the token may be gone.
   */
  readonly current: () => Promise<Principal>;
  /** They have just been seen to be as they are remembered. */
  readonly confirm: () => void;
  readonly isChecked: () => boolean;
}

export function rememberPrincipal(
  remembered: Principal,
  look: () => Promise<Principal>,
): RememberedPrincipal {
  let current: Promise<Principal> | null = null;
  return {
    remembered,
    current: () => (current ??= look()),
    confirm: () => {
      current ??= Promise.resolve(remembered);
    },
    isChecked: () => current !== null,
  };
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
