import type { Ability, Account, TokenRecord, TokenStore } from "@snap/engine";
import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";
import { durably } from "../transaction.ts";
import { ACCOUNT_COLUMNS, toAccount } from "./accounts.ts";

/** A token as it is kept, under names that don't meet those of its account. */
interface TokenRow extends Omit<TokenRecord, "id" | "abilities" | "createdAt"> {
  readonly tokenId: number;
  readonly abilities: string;
  readonly tokenCreatedAt: number;
}

const TOKEN_COLUMNS = `tokens.id AS tokenId, account_id AS accountId, abilities, secret_hash AS secretHash,
  sealed_signing_secret AS sealedSigningSecret, tokens.created_at AS tokenCreatedAt,
  expires_at AS expiresAt, rotated_at AS rotatedAt`;

export function createTokenStore(database: DatabaseSync): TokenStore {
  const insert = prepare<TokenRow>(
    database,
    `INSERT INTO tokens (account_id, abilities, secret_hash, sealed_signing_secret, created_at, expires_at, rotated_at)
     VALUES (:accountId, :abilities, :secretHash, :sealedSigningSecret, :createdAt, :expiresAt, :rotatedAt)
     RETURNING ${TOKEN_COLUMNS}`,
  );
  const find = prepare<TokenRow & Account>(
    database,
    `SELECT ${TOKEN_COLUMNS}, ${ACCOUNT_COLUMNS}
     FROM tokens JOIN accounts ON accounts.id = account_id WHERE tokens.id = :id`,
  );
  const list = prepare<TokenRow>(
    database,
    `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE account_id = :accountId ORDER BY tokens.id`,
  );
  const rotate = prepare<TokenRow>(
    database,
    `UPDATE tokens SET secret_hash = :secretHash, sealed_signing_secret = :sealedSigningSecret, rotated_at = :rotatedAt
     WHERE id = :id RETURNING ${TOKEN_COLUMNS}`,
  );
  const revoke = prepare(database, "DELETE FROM tokens WHERE id = :id");

  return {
    async insert(token) {
      const values = { ...token, abilities: token.abilities.join(" ") };
      // An insert that does not throw answers its row.
      return toToken(durably(database, () => insert.get(values)) as TokenRow);
    },
    async find(id) {
      const row = find.get({ id });
      return row === undefined ? null : { token: toToken(row), account: toAccount(row) };
    },
    async listByAccount(accountId) {
      return list.all({ accountId }).map(toToken);
    },
    async rotate(id, { secretHash, sealedSigningSecret, rotatedAt }) {
      const row = durably(database, () => rotate.get({ id, secretHash, sealedSigningSecret, rotatedAt }));
      return row === undefined ? null : toToken(row);
    },
    async revoke(id) {
      return durably(database, () => revoke.run({ id }).changes === 1);
    },
  };
}

function toToken(row: TokenRow): TokenRecord {
  const { accountId, secretHash, sealedSigningSecret, expiresAt, rotatedAt } = row;
  return {
    id: row.tokenId,
    accountId,
    abilities: row.abilities === "" ? [] : (row.abilities.split(" ") as Ability[]),
    secretHash,
    sealedSigningSecret,
    createdAt: row.tokenCreatedAt,
    expiresAt,
    rotatedAt,
  };
}
