import { parseTokenId, tokenNotFound } from "@snap/engine/internals";
import * as z from "zod";
import { id, paging } from "../../requests/fields.ts";
import { newToken, tokenRotation } from "../inputs.ts";
import { toAdminCountedList, pageOf, pageRequestOf } from "../lists.ts";
import { route } from "../route.ts";
import { countedListOf } from "../schemas/lists.ts";
import { mintedToken, revealedToken, revokedToken, revokedTokens, token } from "../schemas/tokens.ts";

const account = id().meta({ description: "Id of the account." });

/** @throws AdminError if the text cannot be a token's id. */
function tokenIdOf(text: string): number {
  const tokenId = parseTokenId(text);
  if (tokenId === null) throw tokenNotFound(text);
  return tokenId;
}

export const TOKEN_ROUTES = [
  route({
    method: "get",
    path: "/tokens",
    operationId: "listTokens",
    tag: "Tokens",
    summary: "List an account's tokens, in order of creation",
    query: z.strictObject({ ...paging, account }),
    response: countedListOf(token),
    async handle({ operations, query: { account: accountId, ...query } }) {
      const page = pageOf(await operations.tokens.list(accountId), pageRequestOf(query));
      if (page === null) throw tokenNotFound(query.after ?? "");
      return toAdminCountedList(page, (document) => document);
    },
  }),
  route({
    method: "post",
    path: "/tokens",
    operationId: "createToken",
    tag: "Tokens",
    summary: "Create a token",
    description: "The response contains the token, which is not shown again, and its signing secret.",
    body: newToken,
    status: 201,
    response: mintedToken,
    command: "tokens create",
    handle: ({ operations, body }) => operations.tokens.create(body),
  }),
  route({
    method: "delete",
    path: "/tokens",
    operationId: "revokeTokens",
    tag: "Tokens",
    summary: "Revoke all of an account's tokens",
    query: z.strictObject({ account }),
    response: revokedTokens,
    command: "tokens revoke",
    handle: ({ operations, query }) => operations.tokens.revokeAll(query.account),
  }),
  route({
    method: "get",
    path: "/tokens/{id}",
    operationId: "getToken",
    tag: "Tokens",
    summary: "Show a token, without its secrets",
    response: token,
    handle: async ({ operations, id: text }) => operations.tokens.get(tokenIdOf(text)),
  }),
  route({
    method: "delete",
    path: "/tokens/{id}",
    operationId: "revokeToken",
    tag: "Tokens",
    summary: "Revoke a token",
    description: "The token and its signed URLs stop working immediately.",
    response: revokedToken,
    command: "tokens revoke",
    handle: async ({ operations, id: text }) => operations.tokens.revoke(tokenIdOf(text)),
  }),
  route({
    method: "post",
    path: "/tokens/{id}/rotate",
    operationId: "rotateToken",
    tag: "Tokens",
    summary: "Replace a token and its signing secret",
    description: "The response contains the new token, which is not shown again, and its signing secret.",
    body: tokenRotation,
    response: mintedToken,
    command: "tokens rotate",
    handle: async ({ operations, id: text, body }) => operations.tokens.rotate(tokenIdOf(text), body),
  }),
  route({
    method: "post",
    path: "/tokens/{id}/reveal",
    operationId: "revealToken",
    tag: "Tokens",
    summary: "Reveal a token's signing secret",
    response: revealedToken,
    command: "tokens reveal",
    handle: async ({ operations, id: text }) => operations.tokens.reveal(tokenIdOf(text)),
  }),
];
