import type {
  AdminAccount,
  AdminAccountDetails,
  AdminBatch,
  AdminBatchSummary,
  AdminHealth,
  AdminList,
  AdminMintedToken,
  AdminPlan,
  AdminRequest,
  AdminSession,
  AdminUsage,
  DeliveryAttemptDocument,
  Mode,
} from "@snap/protocol";
import { ADMIN_URL } from "./addresses.ts";
import { createApiClient, toSearch, type Call, type Query } from "./call.ts";
import { safeFile } from "../rendering/safe-file.ts";
import { ApiFailure } from "./failure.ts";

/** `null` removes the plan or an override. */
export interface AccountChange {
  readonly email?: string;
  readonly plan?: string | null;
  readonly credits_per_period?: number | null;
  readonly requests_per_minute?: number | null;
}

export interface NewAccount extends AccountChange {
  readonly email: string;
  readonly verified: boolean;
}

export interface NewToken {
  readonly account_id: string;
  readonly name?: string;
  readonly abilities?: readonly Mode[];
  readonly expires_in_seconds?: number;
}

export type UsageGroup = "day" | "account" | "token";

/** Reads one page of a list. */
type ReadPage<Entry> = (query: Query, signal?: AbortSignal) => Promise<AdminList<Entry>>;

/** Calls the admin API with the operator's session. */
export interface AdminApi {
  readonly session: () => Promise<AdminSession>;
  readonly signOut: () => Promise<void>;
  readonly health: (signal?: AbortSignal) => Promise<AdminHealth>;
  readonly plans: (signal?: AbortSignal) => Promise<AdminList<AdminPlan>>;
  readonly accounts: ReadPage<AdminAccount>;
  readonly account: (id: string, signal?: AbortSignal) => Promise<AdminAccountDetails>;
  readonly createAccount: (account: NewAccount) => Promise<AdminAccount>;
  readonly changeAccount: (id: string, change: AccountChange) => Promise<AdminAccount>;
  readonly actOnAccount: (id: string, action: "verify" | "suspend" | "resume") => Promise<void>;
  readonly deleteAccount: (id: string, options: { readonly purge: boolean }) => Promise<void>;
  readonly createToken: (token: NewToken) => Promise<AdminMintedToken>;
  readonly rotateToken: (id: number, overlapSeconds: number) => Promise<AdminMintedToken>;
  readonly revokeToken: (id: number) => Promise<void>;
  readonly revealSecret: (id: number) => Promise<string>;
  readonly requests: ReadPage<AdminRequest>;
  readonly request: (id: string, signal?: AbortSignal) => Promise<AdminRequest>;
  /** Returns the rendering of a request, or `null` if it is not cached. */
  readonly rendering: (id: string, signal?: AbortSignal) => Promise<Blob | null>;
  readonly batches: ReadPage<AdminBatchSummary>;
  readonly batch: (id: string, signal?: AbortSignal) => Promise<AdminBatch>;
  readonly deliveries: ReadPage<DeliveryAttemptDocument>;
  readonly resend: (batchId: string) => Promise<void>;
  readonly usage: (query: UsageQuery, signal?: AbortSignal) => Promise<AdminList<AdminUsage>>;
}

export interface UsageQuery {
  readonly from: string;
  readonly to: string;
  readonly by: UsageGroup;
  readonly account?: string | undefined;
  readonly token?: string | undefined;
}

/** For calls whose 401 means that there is no session to end. */
const sessionlessApi = createApiClient(ADMIN_URL);

/** Exchanges the code from a sign-in link for a session. */
export async function signIn(code: string): Promise<void> {
  await sessionlessApi.send("sign-in", { method: "POST", body: { code } });
}

function entryPath(list: string, id: string | number): string {
  return `${list}/${encodeURIComponent(id)}`;
}

function renderingPath(requestId: string): string {
  return `${entryPath("requests", requestId)}/rendering`;
}

export function renderingUrl(requestId: string): string {
  return ADMIN_URL + renderingPath(requestId);
}

export function usageCsvUrl(query: UsageQuery): string {
  return `${ADMIN_URL}usage${toSearch({ ...query, format: "csv" })}`;
}

/** @param onSignedOut called when the session ends. */
export function createAdminApi(onSignedOut: () => void): AdminApi {
  const { send, read } = createApiClient(ADMIN_URL, { onUnauthorized: onSignedOut });
  const act = async (path: string, request: Call): Promise<void> => {
    await send(path, request);
  };
  const readPage =
    <Entry>(path: string): ReadPage<Entry> =>
    (query, signal) =>
      read(path, { query, signal });

  return {
    session: () => sessionlessApi.read("session"),
    signOut: () => act("sign-in", { method: "DELETE" }),
    health: (signal) => read("health", { signal }),
    plans: (signal) => read("plans", { signal }),
    accounts: readPage("accounts"),
    account: (id, signal) => read(entryPath("accounts", id), { signal }),
    createAccount: (body) => read("accounts", { method: "POST", body }),
    changeAccount: (id, body) => read(entryPath("accounts", id), { method: "PATCH", body }),
    actOnAccount: (id, action) => act(`${entryPath("accounts", id)}/${action}`, { method: "POST" }),
    // a deletion waits for a backup that is running
    deleteAccount: (id, query) =>
      act(entryPath("accounts", id), { method: "DELETE", query, timeoutMs: 120_000 }),
    createToken: (body) => read("tokens", { method: "POST", body }),
    rotateToken: (id, seconds) =>
      read(`${entryPath("tokens", id)}/rotate`, { method: "POST", body: { overlap_seconds: seconds } }),
    revokeToken: (id) => act(entryPath("tokens", id), { method: "DELETE" }),
    async revealSecret(id) {
      const path = `${entryPath("tokens", id)}/reveal`;
      return (await read<{ signing_secret: string }>(path, { method: "POST" })).signing_secret;
    },
    requests: readPage("requests"),
    request: (id, signal) => read(entryPath("requests", id), { signal }),
    async rendering(id, signal) {
      try {
        return safeFile(await (await send(renderingPath(id), { signal })).blob());
      } catch (error) {
        if (error instanceof ApiFailure && error.status === 404) return null;
        throw error;
      }
    },
    batches: readPage("batches"),
    batch: (id, signal) => read(entryPath("batches", id), { signal }),
    deliveries: readPage("deliveries"),
    resend: (batchId) => act("deliveries", { method: "POST", body: { batch_id: batchId } }),
    usage: (query, signal) => read("usage", { query: { ...query }, signal }),
  };
}
