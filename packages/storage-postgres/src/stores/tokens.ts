import type {
  Ability,
  Account,
  EnsuredToken,
  NextSecrets,
  Principal,
  Rotation,
  StandingBalance,
  TokenRecord,
  TokenStore,
} from "@snap/engine/ports";
import { isStorable, type Database, type Query } from "../database.ts";

/** A token as stored. */
interface TokenRow extends Omit<TokenRecord, "abilities" | "previous"> {
  readonly abilities: string;
  readonly previousSecretHash: string;
  readonly previousSealedSigningSecret: string;
  /** All three `previous` columns are `null` if there are no previous secrets. */
  readonly previousEndsAt: number | null;
}

/** A token joined with its account and balance; the balance columns are `null` if there is no balance. */
interface FoundRow
  extends TokenRow, Omit<Account, "id" | "createdAt">, Omit<StandingBalance, "periodStartedAt"> {
  readonly accountCreatedAt: number;
  readonly periodStartedAt: number | null;
}

const TOKEN_COLUMNS = `tokens.id, tokens.account_id AS "accountId", abilities, encode(secret_hash, 'hex') AS "secretHash",
  encode(sealed_signing_secret, 'hex') AS "sealedSigningSecret", tokens.created_at AS "createdAt",
  expires_at AS "expiresAt", rotated_at AS "rotatedAt", name, last_used_at AS "lastUsedAt",
  encode(previous_secret_hash, 'hex') AS "previousSecretHash",
  encode(previous_sealed_signing_secret, 'hex') AS "previousSealedSigningSecret",
  previous_ends_at AS "previousEndsAt"`;

const FIND = `SELECT ${TOKEN_COLUMNS}, email, email_verified_at AS "emailVerifiedAt", plan_slug AS "planSlug",
    credits_per_period AS "creditsPerPeriod", requests_per_minute AS "requestsPerMinute",
    accounts.created_at AS "accountCreatedAt", suspended_at AS "suspendedAt",
    deletion_started_at AS "deletionStartedAt", period_started_at AS "periodStartedAt", granted, used, reserved,
    (SELECT min(lapses_at) FROM snap.reservations
     WHERE reservations.account_id = accounts.id AND state = 'open') AS "nextLapseAt"
  FROM snap.tokens JOIN snap.accounts ON accounts.id = tokens.account_id
    LEFT JOIN LATERAL (
      SELECT period_started_at, granted, used, reserved FROM snap.balances
      WHERE balances.account_id = accounts.id ORDER BY period_started_at DESC LIMIT 1
    ) AS latest ON TRUE
  WHERE tokens.id = $1`;

function abilitiesText({ abilities }: Pick<TokenRecord, "abilities">): string {
  return abilities.join(" ");
}

export function createTokenStore(database: Database): TokenStore {
  const { query, queryOnce } = database;
  return {
    insert: (token) => insert(queryOnce, token),
    ensure: (token) => database.transaction((inTransaction) => ensure(inTransaction, token)),
    async find(id) {
      if (!Number.isSafeInteger(id)) return null;
      const [row] = await query<FoundRow>(FIND, [id]);
      return row === undefined ? null : toPrincipal(row);
    },
    async listByAccount(accountId) {
      if (!isStorable(accountId)) return [];
      const rows = await query<TokenRow>(
        `SELECT ${TOKEN_COLUMNS} FROM snap.tokens WHERE account_id = $1 ORDER BY id`,
        [accountId],
      );
      return rows.map(toToken);
    },
    async findNewest() {
      const [row] = await query<TokenRow>(
        `SELECT ${TOKEN_COLUMNS} FROM snap.tokens ORDER BY id DESC LIMIT 1`,
        [],
      );
      return row === undefined ? null : toToken(row);
    },
    async rotate(id, next) {
      if (!Number.isSafeInteger(id)) return null;
      return database.transaction((inTransaction, isRepeated) =>
        rotate(inTransaction, { id, isRepeated, ...next }),
      );
    },
    async recordUse({ id, usedAt }) {
      if (!Number.isSafeInteger(id)) return;
      await query(
        "UPDATE snap.tokens SET last_used_at = $2 WHERE id = $1 AND coalesce(last_used_at, 0) < $2",
        [id, usedAt],
      );
    },
    async replaceSigningSecret(id, { current, next }) {
      if (!Number.isSafeInteger(id)) return null;
      const [row] = await queryOnce<TokenRow>(
        `UPDATE snap.tokens SET sealed_signing_secret = decode($3, 'hex'),
           previous_sealed_signing_secret =
             CASE WHEN previous_ends_at IS NULL THEN NULL ELSE decode($3, 'hex') END
         WHERE id = $1 AND sealed_signing_secret = decode($2, 'hex') RETURNING ${TOKEN_COLUMNS}`,
        [id, current, next],
      );
      return row === undefined ? null : toToken(row);
    },
    async revoke(id) {
      if (!Number.isSafeInteger(id)) return false;
      const rows = await queryOnce("DELETE FROM snap.tokens WHERE id = $1 RETURNING id", [id]);
      return rows.length === 1;
    },
    async revokeAll(accountId) {
      if (!isStorable(accountId)) return [];
      const rows = await queryOnce<{ id: number }>(
        "DELETE FROM snap.tokens WHERE account_id = $1 RETURNING id",
        [accountId],
      );
      return rows.map(({ id }) => id).toSorted((a, b) => a - b);
    },
  };
}

type NewToken = Parameters<TokenStore["insert"]>[0];

async function insert(query: Query, token: NewToken): Promise<TokenRecord> {
  const { accountId, name, secretHash, sealedSigningSecret, createdAt, expiresAt, rotatedAt } = token;
  const [row] = await query<TokenRow>(
    `INSERT INTO snap.tokens (account_id, abilities, secret_hash, sealed_signing_secret, created_at, expires_at,
       rotated_at, name)
     VALUES ($1, $2, decode($3, 'hex'), decode($4, 'hex'), $5, $6, $7, $8) RETURNING ${TOKEN_COLUMNS}`,
    [accountId, abilitiesText(token), secretHash, sealedSigningSecret, createdAt, expiresAt, rotatedAt, name],
  );
  // an insert that does not throw returns its row
  return toToken(row as TokenRow);
}

/** Locks the account, so concurrent calls take turns. */
async function ensure(query: Query, token: NewToken & { readonly name: string }): Promise<EnsuredToken> {
  const { accountId, name, secretHash, sealedSigningSecret, createdAt, expiresAt } = token;
  await query("SELECT 1 FROM snap.accounts WHERE id = $1 FOR UPDATE", [accountId]);
  const [row] = await query<TokenRow>(
    `SELECT ${TOKEN_COLUMNS} FROM snap.tokens WHERE account_id = $1 AND name = $2 ORDER BY id LIMIT 1 FOR UPDATE`,
    [accountId, name],
  );
  if (row === undefined) return { token: await insert(query, token), change: "created" };
  if (row.secretHash === secretHash) return { token: toToken(row), change: "none" };
  const [next] = await query<TokenRow>(
    `UPDATE snap.tokens SET secret_hash = decode($2, 'hex'), sealed_signing_secret = decode($3, 'hex'),
       rotated_at = $4, abilities = $5, expires_at = $6, previous_ends_at = NULL, previous_secret_hash = NULL,
       previous_sealed_signing_secret = NULL
     WHERE id = $1 RETURNING ${TOKEN_COLUMNS}`,
    [row.id, secretHash, sealedSigningSecret, createdAt, abilitiesText(token), expiresAt],
  );
  // an update of a locked row returns it
  return { token: toToken(next as TokenRow), change: "rotated" };
}

/** Returns the token, and keeps other transactions from changing it until this one ends. */
async function lock(query: Query, id: number): Promise<TokenRecord | null> {
  const [row] = await query<TokenRow>(`SELECT ${TOKEN_COLUMNS} FROM snap.tokens WHERE id = $1 FOR UPDATE`, [
    id,
  ]);
  return row === undefined ? null : toToken(row);
}

async function rotate(
  query: Query,
  next: NextSecrets & { readonly id: number; readonly isRepeated: boolean },
): Promise<Rotation | null> {
  const { id, isRepeated, secretHash, sealedSigningSecret, rotatedAt, overlapEndsAt } = next;
  const token = await lock(query, id);
  if (token === null) return null;
  // an earlier attempt at this rotation committed before its connection was lost, so the stored overlap is its own
  if (isRepeated && token.secretHash === secretHash) return { rotated: true, token };
  const { previous } = token;
  if (overlapEndsAt !== null && previous !== null && previous.endsAt > rotatedAt)
    return { rotated: false, overlapEndsAt: previous.endsAt };
  const [row] = await query<TokenRow>(
    `UPDATE snap.tokens SET secret_hash = decode($2, 'hex'), sealed_signing_secret = decode($3, 'hex'),
       rotated_at = $4, previous_ends_at = $5::BIGINT,
       previous_secret_hash = CASE WHEN $5::BIGINT IS NULL THEN NULL ELSE secret_hash END,
       previous_sealed_signing_secret = CASE WHEN $5::BIGINT IS NULL THEN NULL ELSE sealed_signing_secret END
     WHERE id = $1 RETURNING ${TOKEN_COLUMNS}`,
    [id, secretHash, sealedSigningSecret, rotatedAt, overlapEndsAt],
  );
  // an update of a locked row returns it
  return { rotated: true, token: toToken(row as TokenRow) };
}

function toToken(row: TokenRow): TokenRecord {
  const {
    id,
    accountId,
    name,
    secretHash,
    sealedSigningSecret,
    createdAt,
    expiresAt,
    rotatedAt,
    lastUsedAt,
  } = row;
  const { previousSecretHash, previousSealedSigningSecret, previousEndsAt } = row;
  return {
    id,
    accountId,
    name,
    abilities: row.abilities === "" ? [] : (row.abilities.split(" ") as Ability[]),
    secretHash,
    sealedSigningSecret,
    createdAt,
    expiresAt,
    rotatedAt,
    previous:
      previousEndsAt === null
        ? null
        : {
            secretHash: previousSecretHash,
            sealedSigningSecret: previousSealedSigningSecret,
            endsAt: previousEndsAt,
          },
    lastUsedAt,
  };
}

function toPrincipal(row: FoundRow): Principal {
  const { accountId: id, email, emailVerifiedAt, planSlug, creditsPerPeriod, requestsPerMinute } = row;
  const { periodStartedAt, granted, used, reserved, nextLapseAt, accountCreatedAt: createdAt } = row;
  const { suspendedAt, deletionStartedAt } = row;
  return {
    token: toToken(row),
    account: {
      id,
      email,
      emailVerifiedAt,
      planSlug,
      creditsPerPeriod,
      requestsPerMinute,
      createdAt,
      suspendedAt,
      deletionStartedAt,
    },
    balance: periodStartedAt === null ? null : { periodStartedAt, granted, used, reserved, nextLapseAt },
  };
}
