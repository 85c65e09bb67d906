import type {
  Ability,
  EnsuredToken,
  PreviousSecrets,
  Principal,
  Rotation,
  TokenRecord,
  TokenStore,
} from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { prepare, prepareArrays } from "../prepare.ts";
import { durably, transactDurably } from "../transaction.ts";

type NewToken = Parameters<TokenStore["insert"]>[0];

/** A token as `TOKEN_COLUMNS` selects it. Without an overlap, its previous secrets are empty. */
export interface TokenRow extends Omit<TokenRecord, "abilities" | "previous"> {
  readonly abilities: string;
  readonly previousSecretHash: string;
  readonly previousSealedSigningSecret: string;
  readonly previousEndsAt: number | null;
}

/** Bytes are read as hex: allocating an ArrayBuffer costs more than the rest of a lookup. */
export const TOKEN_COLUMNS = `id, account_id AS accountId, name, abilities, lower(hex(secret_hash)) AS secretHash,
  lower(hex(sealed_signing_secret)) AS sealedSigningSecret, created_at AS createdAt,
  expires_at AS expiresAt, rotated_at AS rotatedAt, last_used_at AS lastUsedAt,
  lower(hex(previous_secret_hash)) AS previousSecretHash,
  lower(hex(previous_sealed_signing_secret)) AS previousSealedSigningSecret, previous_ends_at AS previousEndsAt`;

/** The columns in the order of `FIND`; the balance columns are `null` if there is no balance. */
type FoundRow = readonly [
  id: number,
  accountId: string,
  abilities: string,
  secretHash: string,
  sealedSigningSecret: string,
  createdAt: number,
  expiresAt: number | null,
  rotatedAt: number | null,
  name: string | null,
  lastUsedAt: number | null,
  previousSecretHash: string,
  previousSealedSigningSecret: string,
  previousEndsAt: number | null,
  email: string,
  emailVerifiedAt: number | null,
  planSlug: string | null,
  creditsPerPeriod: number | null,
  requestsPerMinute: number | null,
  accountCreatedAt: number,
  suspendedAt: number | null,
  deletionStartedAt: number | null,
  periodStartedAt: number | null,
  granted: number,
  used: number,
  reserved: number,
  nextLapseAt: number | null,
];

const FIND = `SELECT tokens.id, tokens.account_id, abilities, lower(hex(secret_hash)), lower(hex(sealed_signing_secret)),
    tokens.created_at, expires_at, rotated_at, name, last_used_at,
    lower(hex(previous_secret_hash)), lower(hex(previous_sealed_signing_secret)), previous_ends_at,
    email, email_verified_at, plan_slug, credits_per_period, requests_per_minute, accounts.created_at,
    suspended_at, deletion_started_at,
    period_started_at, granted, used, reserved,
    (SELECT min(lapses_at) FROM reservations WHERE reservations.account_id = accounts.id AND state = 'open')
  FROM tokens JOIN accounts ON accounts.id = tokens.account_id
  LEFT JOIN balances ON balances.account_id = accounts.id AND period_started_at =
    (SELECT max(period_started_at) FROM balances WHERE balances.account_id = accounts.id)
  WHERE tokens.id = ?`;

export function createTokenStore(database: DatabaseSync): TokenStore {
  const find = prepareArrays<FoundRow>(database, FIND);
  const insert = prepare<TokenRow>(
    database,
    `INSERT INTO tokens (account_id, name, abilities, secret_hash, sealed_signing_secret, created_at, expires_at, rotated_at)
     VALUES (:accountId, :name, :abilities, unhex(:secretHash), unhex(:sealedSigningSecret), :createdAt, :expiresAt,
       :rotatedAt)
     RETURNING ${TOKEN_COLUMNS}`,
  );
  const list = prepare<TokenRow>(
    database,
    `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE account_id = :accountId ORDER BY id`,
  );
  const newest = prepare<TokenRow>(
    database,
    `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE id = (SELECT max(id) FROM tokens)`,
  );
  const replaceSecret = prepare<TokenRow>(
    database,
    `UPDATE tokens SET sealed_signing_secret = unhex(:next),
       previous_sealed_signing_secret = iif(previous_ends_at IS NULL, NULL, unhex(:next))
     WHERE id = :id AND sealed_signing_secret = unhex(:current) RETURNING ${TOKEN_COLUMNS}`,
  );
  const recordUse = prepare(
    database,
    "UPDATE tokens SET last_used_at = :usedAt WHERE id = :id AND coalesce(last_used_at, 0) < :usedAt",
  );
  const revoke = prepare(database, "DELETE FROM tokens WHERE id = :id");
  const revokeAll = prepare<{ id: number }>(
    database,
    "DELETE FROM tokens WHERE account_id = :accountId RETURNING id",
  );

  const insertToken = (token: NewToken): TokenRecord => {
    const [row] = insert.all({ ...token, abilities: token.abilities.join(" ") });
    // an insert that does not throw returns its row
    return toToken(row as TokenRow);
  };

  return {
    async insert(token) {
      return durably(database, () => insertToken(token));
    },
    ensure: prepareEnsure(database, insertToken),
    async find(id) {
      const row = find.get(id);
      return row === undefined ? null : toPrincipal(row);
    },
    async listByAccount(accountId) {
      return list.all({ accountId }).map(toToken);
    },
    async findNewest() {
      const row = newest.get();
      return row === undefined ? null : toToken(row);
    },
    rotate: prepareRotate(database),
    async recordUse(use) {
      recordUse.run({ ...use });
    },
    async replaceSigningSecret(id, { current, next }) {
      const [row] = durably(database, () => replaceSecret.all({ id, current, next }));
      return row === undefined ? null : toToken(row);
    },
    async revoke(id) {
      return durably(database, () => revoke.run({ id }).changes === 1);
    },
    async revokeAll(accountId) {
      const revoked = durably(database, () => revokeAll.all({ accountId }));
      return revoked.map(({ id }) => id).toSorted((a, b) => a - b);
    },
  };
}

function prepareEnsure(
  database: DatabaseSync,
  insert: (token: NewToken) => TokenRecord,
): TokenStore["ensure"] {
  const findByName = prepare<TokenRow>(
    database,
    `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE account_id = :accountId AND name = :name ORDER BY id LIMIT 1`,
  );
  const replace = prepare<TokenRow>(
    database,
    `UPDATE tokens SET abilities = :abilities, expires_at = :expiresAt, secret_hash = unhex(:secretHash),
       sealed_signing_secret = unhex(:sealedSigningSecret), rotated_at = :createdAt, previous_ends_at = NULL,
       previous_secret_hash = NULL, previous_sealed_signing_secret = NULL
     WHERE id = :id RETURNING ${TOKEN_COLUMNS}`,
  );
  return async (token) => {
    const { accountId, name, secretHash, sealedSigningSecret, createdAt, expiresAt } = token;
    const ensure = (): EnsuredToken => {
      const row = findByName.get({ accountId, name });
      if (row === undefined) return { token: insert(token), change: "created" };
      if (row.secretHash === secretHash) return { token: toToken(row), change: "none" };
      const abilities = token.abilities.join(" ");
      const changes = { abilities, expiresAt, secretHash, sealedSigningSecret, createdAt };
      const next = replace.get({ id: row.id, ...changes });
      return { token: toToken(next as TokenRow), change: "rotated" };
    };
    return transactDurably(database, ensure);
  };
}

function prepareRotate(database: DatabaseSync): TokenStore["rotate"] {
  const rotate = prepare<TokenRow>(
    database,
    `UPDATE tokens SET secret_hash = unhex(:secretHash), sealed_signing_secret = unhex(:sealedSigningSecret),
       rotated_at = :rotatedAt, previous_ends_at = :overlapEndsAt,
       previous_secret_hash = iif(:overlapEndsAt IS NULL, NULL, secret_hash),
       previous_sealed_signing_secret = iif(:overlapEndsAt IS NULL, NULL, sealed_signing_secret)
     WHERE id = :id AND (:overlapEndsAt IS NULL OR coalesce(previous_ends_at, 0) <= :rotatedAt)
     RETURNING ${TOKEN_COLUMNS}`,
  );
  const overlapEnd = prepare<{ overlapEndsAt: number }>(
    database,
    "SELECT previous_ends_at AS overlapEndsAt FROM tokens WHERE id = :id",
  );
  return async (id, next) => {
    const rotateOrRead = (): Rotation | null => {
      const row = rotate.get({ id, ...next });
      if (row !== undefined) return { rotated: true, token: toToken(row) };
      const overlap = overlapEnd.get({ id });
      return overlap === undefined ? null : { rotated: false, ...overlap };
    };
    return transactDurably(database, rotateOrRead);
  };
}

export function toToken(row: TokenRow): TokenRecord {
  const { abilities, previousSecretHash, previousSealedSigningSecret, previousEndsAt, ...rest } = row;
  return {
    ...rest,
    abilities: parseAbilities(abilities),
    previous: toPrevious({
      secretHash: previousSecretHash,
      sealedSigningSecret: previousSealedSigningSecret,
      endsAt: previousEndsAt,
    }),
  };
}

function toPrevious({
  endsAt,
  ...secrets
}: Omit<PreviousSecrets, "endsAt"> & { readonly endsAt: number | null }): PreviousSecrets | null {
  return endsAt === null ? null : { ...secrets, endsAt };
}

function parseAbilities(text: string): Ability[] {
  return text === "" ? [] : (text.split(" ") as Ability[]);
}

function toPrincipal([
  id,
  accountId,
  abilities,
  secretHash,
  sealedSigningSecret,
  createdAt,
  expiresAt,
  rotatedAt,
  name,
  lastUsedAt,
  previousSecretHash,
  previousSealedSigningSecret,
  previousEndsAt,
  email,
  emailVerifiedAt,
  planSlug,
  creditsPerPeriod,
  requestsPerMinute,
  accountCreatedAt,
  suspendedAt,
  deletionStartedAt,
  periodStartedAt,
  granted,
  used,
  reserved,
  nextLapseAt,
]: FoundRow): Principal {
  return {
    token: {
      id,
      accountId,
      name,
      abilities: parseAbilities(abilities),
      secretHash,
      sealedSigningSecret,
      createdAt,
      expiresAt,
      rotatedAt,
      lastUsedAt,
      previous: toPrevious({
        secretHash: previousSecretHash,
        sealedSigningSecret: previousSealedSigningSecret,
        endsAt: previousEndsAt,
      }),
    },
    account: {
      id: accountId,
      email,
      emailVerifiedAt,
      planSlug,
      creditsPerPeriod,
      requestsPerMinute,
      createdAt: accountCreatedAt,
      suspendedAt,
      deletionStartedAt,
    },
    balance: periodStartedAt === null ? null : { periodStartedAt, granted, used, reserved, nextLapseAt },
  };
}
