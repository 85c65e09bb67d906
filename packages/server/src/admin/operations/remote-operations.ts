import { accountNotFound, batchNotFound, tokenNotFound } from "@snap/engine/internals";
import type {
  AdminAccount,
  AdminCountedList,
  AdminList,
  AdminPlan,
  AdminToken,
  DeliveryAttemptDocument,
} from "@snap/protocol";
import { LIST_LIMITS } from "../../requests/fields.ts";
import type { AccountOperations, AdminOperations, BatchOperations, TokenOperations } from "./operations.ts";
import { callRemote, type RemoteCall, type RemoteService } from "./remote-call.ts";

type Call = <Document>(call: RemoteCall) => Promise<Document>;

/** Returns the operations, each of which calls the service's admin API. */
export function remoteOperations(service: RemoteService): AdminOperations {
  const call: Call = (request) => callRemote(service, request);
  return {
    plans: async () =>
      (await call<AdminList<AdminPlan>>({ path: "/plans", requiredField: "entries" })).entries,
    accounts: remoteAccounts(call),
    tokens: remoteTokens(call),
    batches: remoteBatches(call),
  };
}

function remoteAccounts(call: Call): AccountOperations {
  const resource = (id: string): Pick<RemoteCall, "path" | "notFoundError"> => ({
    path: `/accounts/${encodeURIComponent(id)}`,
    notFoundError: accountNotFound(id),
  });
  const act = (name: "verify" | "suspend" | "resume") => (id: string) =>
    call<AdminAccount>({ method: "POST", ...resource(id), path: `${resource(id).path}/${name}` });
  return {
    page: (query) =>
      readPage(call, { path: "/accounts", query, notFoundError: accountNotFound(query.after ?? "") }),
    get: (id) => call(resource(id)),
    async getByEmail(email) {
      const accounts = await readAll<AdminAccount>(call, { path: "/accounts", query: { email } });
      const found = accounts.find((account) => foldAscii(account.email) === foldAscii(email));
      if (found === undefined) throw accountNotFound(email);
      return found;
    },
    create: (body) => call({ method: "POST", path: "/accounts", body }),
    update: (id, body) => call({ method: "PATCH", ...resource(id), body }),
    verify: act("verify"),
    suspend: act("suspend"),
    resume: act("resume"),
    delete: (id, query) => call({ method: "DELETE", ...resource(id), query }),
  };
}

function remoteTokens(call: Call): TokenOperations {
  const resource = (id: number): Pick<RemoteCall, "path" | "notFoundError"> => ({
    path: `/tokens/${id}`,
    notFoundError: tokenNotFound(id),
  });
  const tokensOf = (account: string): Pick<RemoteCall, "path" | "query" | "notFoundError"> => ({
    path: "/tokens",
    query: { account },
    notFoundError: accountNotFound(account),
  });
  return {
    list: (account) => readAll<AdminToken>(call, tokensOf(account)),
    get: (id) => call(resource(id)),
    create: (body) =>
      call({ method: "POST", path: "/tokens", body, notFoundError: accountNotFound(body.account_id) }),
    rotate: (id, body) => call({ method: "POST", ...resource(id), path: `/tokens/${id}/rotate`, body }),
    revoke: (id) => call({ method: "DELETE", ...resource(id) }),
    revokeAll: (account) => call({ method: "DELETE", ...tokensOf(account), requiredField: "ids" }),
    reveal: (id) => call({ method: "POST", ...resource(id), path: `/tokens/${id}/reveal` }),
  };
}

function remoteBatches(call: Call): BatchOperations {
  return {
    page: (query) =>
      readPage(call, { path: "/batches", query, notFoundError: batchNotFound(query.after ?? "") }),
    get: (id) => call({ path: `/batches/${encodeURIComponent(id)}`, notFoundError: batchNotFound(id) }),
    attempts: async (id, limit) => {
      const query = { batch: id, limit };
      const request = { path: "/deliveries", query, requiredField: "entries" } as const;
      return (await call<AdminList<DeliveryAttemptDocument>>(request)).entries;
    },
    redeliver: (id) =>
      call({
        method: "POST",
        path: "/deliveries",
        body: { batch_id: id },
        notFoundError: batchNotFound(id),
        refusalCode: "cannot_redeliver",
      }),
  };
}

/** Reads a page of at most `query.limit` entries, in several requests if the limit exceeds the API's maximum. */
async function readPage<Entry extends { readonly id: string | number }>(
  call: Call,
  { query = {}, ...rest }: RemoteCall,
): Promise<AdminCountedList<Entry>> {
  const entries: Entry[] = [];
  const wanted = Number(query["limit"] ?? LIST_LIMITS.pageDefault);
  for (let { after } = query; ;) {
    const limit = Math.min(wanted - entries.length, LIST_LIMITS.pageMax);
    const request = { ...rest, query: { ...query, after, limit }, requiredField: "entries" } as const;
    const page = await call<AdminCountedList<Entry>>(request);
    entries.push(...page.entries);
    if (!page.has_more || entries.length >= wanted) return { ...page, entries };
    after = String(page.entries.at(-1)?.id);
  }
}

async function readAll<Entry extends { readonly id: string | number }>(
  call: Call,
  { query, ...rest }: RemoteCall,
): Promise<readonly Entry[]> {
  const limit = Number.MAX_SAFE_INTEGER;
  return (await readPage<Entry>(call, { ...rest, query: { ...query, limit } })).entries;
}

/** Folds case as the storage does when it compares email addresses. */
function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
