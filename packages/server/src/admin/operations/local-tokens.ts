import type { Engine } from "@snap/engine";
import { mintedDocument, tokenDocument } from "../documents.ts";
import type { TokenOperations } from "./operations.ts";

/** Token operations on an engine. */
export function localTokens({ tokens }: Engine): TokenOperations {
  return {
    list: async (accountId) => (await tokens.list(accountId)).map(tokenDocument),
    get: async (id) => tokenDocument(await tokens.get(id)),
    async create({ account_id: accountId, name, abilities, expires_in_seconds: seconds }) {
      const minted = await tokens.create({
        accountId,
        ...(name !== undefined && { name }),
        ...(abilities !== undefined && { abilities }),
        expiresAt: seconds === undefined ? null : Date.now() + seconds * 1000,
      });
      return mintedDocument(minted);
    },
    rotate: async (id, { overlap_seconds: seconds = 0 }) =>
      mintedDocument(await tokens.rotate(id, { overlapMs: seconds * 1000 })),
    async revoke(id) {
      await tokens.revoke(id);
      return { id, revoked: true };
    },
    revokeAll: async (accountId) => ({ ids: await tokens.revokeAll(accountId), revoked: true }),
    async reveal(id) {
      const { record, signingSecret } = await tokens.reveal(id);
      return { ...tokenDocument(record), signing_secret: signingSecret };
    },
  };
}
