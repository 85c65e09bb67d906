import { SnapError } from "../errors.ts";
import type { Account } from "../ports/accounts.ts";
import type { Ability, TokenRecord } from "../ports/tokens.ts";

/** @throws SnapError `missing_ability` if the token lacks the ability for the mode. */
export function requireAbility(token: TokenRecord, ability: Ability): void {
  if (token.abilities.includes(ability)) return;
  throw new SnapError(
    "missing_ability",
    `This token lacks the "${ability}" ability; it has: ${token.abilities.join(", ")}.`,
  );
}

/** @throws SnapError `account_suspended`. Called during authentication, so it covers every entry point. */
export function requireActive({ id, suspendedAt }: Account): void {
  if (suspendedAt === null) return;
  throw new SnapError(
    "account_suspended",
    "This account is suspended; contact the operator of this service.",
    { detail: `account ${id} has been suspended since ${new Date(suspendedAt).toISOString()}` },
  );
}

/** @throws SnapError `email_unverified`. */
export function requireVerifiedEmail(account: Account): void {
  if (account.emailVerifiedAt !== null) return;
  throw new SnapError("email_unverified", "The account's email address is not verified; verify it first.");
}
