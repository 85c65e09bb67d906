import type { Account, TokenRecord, TokenStore } from "@snap/engine/ports";
import type { MemoryLedger } from "./ledger.ts";

export interface TokenMaps {
  readonly tokens: Map<number, TokenRecord>;
  readonly accounts: ReadonlyMap<string, Account>;
}

type NewToken = Parameters<TokenStore["insert"]>[0];

/** Tokens in memory; `ledger` provides the balances of their accounts. */
export function createTokenStore(
  { tokens, accounts }: TokenMaps,
  ledger: Pick<MemoryLedger, "standingBalance">,
): TokenStore {
  let lastId = 0;
  const insert = (token: NewToken): TokenRecord => {
    if (!accounts.has(token.accountId)) throw new Error(`account ${token.accountId} does not exist`);
    lastId += 1;
    const record = structuredClone({ id: lastId, ...token, previous: null, lastUsedAt: null });
    tokens.set(record.id, record);
    return structuredClone(record);
  };
  return {
    async insert(token) {
      return insert(token);
    },
    async ensure(token) {
      const { accountId, name, secretHash, sealedSigningSecret, createdAt: rotatedAt } = token;
      const stored = [...tokens.values()].find((one) => one.accountId === accountId && one.name === name);
      if (stored === undefined) return { token: insert(token), change: "created" };
      if (stored.secretHash === secretHash) return { token: structuredClone(stored), change: "none" };
      const { abilities, expiresAt } = token;
      const secrets = { secretHash, sealedSigningSecret, rotatedAt, previous: null };
      const rotated = structuredClone({ ...stored, ...secrets, abilities, expiresAt });
      tokens.set(stored.id, rotated);
      return { token: structuredClone(rotated), change: "rotated" };
    },
    async find(id) {
      const token = tokens.get(id);
      const account = token === undefined ? undefined : accounts.get(token.accountId);
      if (token === undefined || account === undefined) return null;
      return structuredClone({ token, account, balance: ledger.standingBalance(account.id) });
    },
    async listByAccount(accountId) {
      return structuredClone([...tokens.values()].filter((token) => token.accountId === accountId));
    },
    async findNewest() {
      return structuredClone([...tokens.values()].at(-1) ?? null);
    },
    async rotate(id, { overlapEndsAt: endsAt, ...next }) {
      const token = tokens.get(id);
      if (token === undefined) return null;
      const overlapEndsAt = token.previous?.endsAt ?? 0;
      if (endsAt !== null && overlapEndsAt > next.rotatedAt) return { rotated: false, overlapEndsAt };
      const { secretHash, sealedSigningSecret } = token;
      const previous = endsAt === null ? null : { secretHash, sealedSigningSecret, endsAt };
      const rotated = structuredClone({ ...token, ...next, previous });
      tokens.set(id, rotated);
      return { rotated: true, token: structuredClone(rotated) };
    },
    async recordUse({ id, usedAt }) {
      const token = tokens.get(id);
      if (token !== undefined && (token.lastUsedAt ?? 0) < usedAt)
        tokens.set(id, { ...token, lastUsedAt: usedAt });
    },
    async replaceSigningSecret(id, { current, next }) {
      const token = tokens.get(id);
      if (token?.sealedSigningSecret !== current) return null;
      const previous = token.previous && { ...token.previous, sealedSigningSecret: next };
      const replaced = structuredClone({ ...token, sealedSigningSecret: next, previous });
      tokens.set(id, replaced);
      return structuredClone(replaced);
    },
    async revoke(id) {
      return tokens.delete(id);
    },
    async revokeAll(accountId) {
      const ids = [...tokens.values()].filter((token) => token.accountId === accountId).map(({ id }) => id);
      for (const id of ids) tokens.delete(id);
      return ids;
    },
  };
}
