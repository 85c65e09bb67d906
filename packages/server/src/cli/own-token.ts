import { AdminError, isSnapError, type Engine } from "@snap/engine";
import { addToAuditLog } from "../audit/record-changes.ts";
import { describeChange } from "./audit-change.ts";
import { ConfigError } from "../config.ts";

/** The account of `SNAP_TOKEN`. RFC 6761, 6.4: no mail can reach it, so it belongs to nobody else. */
const EMAIL = "owner@snap.invalid";
/** The name of its token. */
export const OWN_TOKEN_NAME = "SNAP_TOKEN";

/**
 * Makes the value of `SNAP_TOKEN` a valid token. A secret becomes the token of a separate account, which is created
 * if it is missing; `<id>|<secret>` must already be valid. An earlier secret stops working. Adds changes to the
 * audit log.
 *
 * @param value The value; `null` if the variable is not set.
 * @returns the token's id, or `null` if the variable is not set.
 * @throws ConfigError if `<id>|<secret>` is not valid.
 */
export async function applyOwnToken(engine: Engine, value: string | null): Promise<number | null> {
  if (value?.includes("|") === false) {
    const { account, record, change } = await engine.accounts.ensure({
      email: EMAIL,
      tokenName: OWN_TOKEN_NAME,
      token: value,
    });
    if (change !== "none") await audit(engine, [`account ${account.id}`, `token ${record.id}`]);
    return record.id;
  }
  const id = value === null ? null : await idOf(engine, value);
  await revokePreviousTokens(engine, id);
  return id;
}

async function idOf(engine: Engine, value: string): Promise<number> {
  try {
    return (await engine.authenticate(value)).token.id;
  } catch (error) {
    if (!isSnapError(error) || error.code === "server_error") throw error;
    throw new ConfigError([
      `SNAP_TOKEN: it is not a valid token (${error.code}); to create one, set it to a secret without an ` +
        "id and a pipe, such as the output of `openssl rand -hex 24`",
    ]);
  }
}

async function revokePreviousTokens(engine: Engine, currentId: number | null): Promise<void> {
  const account = await nullIfMissing(engine.accounts.getByEmail(EMAIL));
  if (account === null) return;
  const tokens = await engine.tokens.list(account.id);
  const earlier = tokens.filter(({ id, name }) => name === OWN_TOKEN_NAME && id !== currentId);
  for (const { id } of earlier) {
    // another process may have revoked it in the meantime
    if ((await nullIfMissing(engine.tokens.revoke(id))) !== null) await audit(engine, [`token ${id}`]);
  }
}

async function nullIfMissing<T>(call: Promise<T>): Promise<T | null> {
  return call.catch((error: unknown) => {
    if (error instanceof AdminError) return null;
    throw error;
  });
}

function audit(engine: Engine, subjects: readonly string[]): Promise<void> {
  return addToAuditLog(engine.audit, describeChange(subjects));
}
