import { accountChange, accountDeletion, accountFilter, newAccount } from "../inputs.ts";
import { toAdminFailure } from "../failures.ts";
import { route } from "../route.ts";
import { account, accountDetails, deletion } from "../schemas/accounts.ts";
import { countedListOf } from "../schemas/lists.ts";

/** If the engine rejects a value, names `plan` as the parameter: the schemas check the rest. */
const namePlanIfRejected = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw toAdminFailure(error, "plan");
  });

const changes = [
  ["verify", "verifyAccount", "Mark the email address as verified"],
  ["suspend", "suspendAccount", "Reject all requests from an account"],
  ["resume", "resumeAccount", "End an account's suspension"],
] as const;

export const ACCOUNT_ROUTES = [
  route({
    method: "get",
    path: "/accounts",
    operationId: "listAccounts",
    tag: "Accounts",
    summary: "List accounts, in order of creation",
    query: accountFilter,
    response: countedListOf(account),
    handle: ({ operations, query }) => operations.accounts.page(query),
  }),
  route({
    method: "post",
    path: "/accounts",
    operationId: "createAccount",
    tag: "Accounts",
    summary: "Create an account",
    body: newAccount,
    status: 201,
    response: account,
    command: "accounts create",
    handle: ({ operations, body }) => namePlanIfRejected(operations.accounts.create(body)),
  }),
  route({
    method: "get",
    path: "/accounts/{id}",
    operationId: "getAccount",
    tag: "Accounts",
    summary: "Show an account, its credits and its tokens",
    response: accountDetails,
    handle: ({ operations, id }) => operations.accounts.get(id),
  }),
  route({
    method: "patch",
    path: "/accounts/{id}",
    operationId: "changeAccount",
    tag: "Accounts",
    summary: "Change an account",
    body: accountChange,
    response: account,
    command: "accounts update",
    handle: ({ operations, id, body }) => namePlanIfRejected(operations.accounts.update(id, body)),
  }),
  route({
    method: "delete",
    path: "/accounts/{id}",
    operationId: "deleteAccount",
    tag: "Accounts",
    summary: "Delete an account, or show what would be deleted",
    description:
      "Permanently deletes the account with its tokens, batches, documents, renderings and history. If the request is interrupted, send it again.",
    query: accountDeletion,
    response: deletion,
    command: "accounts delete",
    handle: ({ operations, id, query }) => operations.accounts.delete(id, query),
  }),
  ...changes.map(([name, operationId, summary]) =>
    route({
      method: "post",
      path: `/accounts/{id}/${name}`,
      operationId,
      tag: "Accounts",
      summary,
      response: account,
      command: `accounts ${name}`,
      handle: ({ operations, id }) => operations.accounts[name](id),
    }),
  ),
];
