import type { Storage } from "@snap/engine/ports";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createTemporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";
import type { AdminOptions } from "../../src/http/admin.ts";
import type { ConsoleSite } from "../../src/http/console.ts";
import {
  jsonOf,
  openService,
  type OpenOptions,
  type Reply,
  type RequestOptions,
  type TestService,
} from "../http/open-service.ts";

export const ADMIN_TOKEN = "an-admin-token-for-tests";
export const ORIGIN = "https://snap.example.com";
const WEEK_MS = 7 * 86_400_000;

/** Stand-ins for the files of the console. */
export const SITE: ConsoleSite = {
  files: new Map([
    [
      "",
      { contentType: "text/html; charset=utf-8", body: Buffer.from("<!doctype html>"), isImmutable: false },
    ],
    [
      "assets/index-0a1b2c3d.js",
      { contentType: "text/javascript; charset=utf-8", body: Buffer.from("1"), isImmutable: true },
    ],
  ]),
  contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
};

export interface AdminRequest extends Omit<RequestOptions, "body"> {
  /** Sent as JSON. */
  readonly json?: unknown;
}

export interface AdminTestService extends TestService {
  /** The embedded storage. */
  readonly embedded: Storage;
  /** Sends a request to a path below `/admin/v1`, by default with the admin token. */
  readonly admin: (path: string, request?: AdminRequest) => Promise<Reply>;
  /** Like `admin`, for a request that must succeed; returns the parsed body. */
  readonly read: (path: string, request?: AdminRequest) => Promise<unknown>;
}

/** Starts a service with the admin API, the console, the embedded storage, and the current time. */
export async function openAdmin({ admin, ...options }: OpenOptions = {}): Promise<AdminTestService> {
  const storage = await openSqliteStorage({ directory: await createTemporaryDirectory() });
  const service = await openService({
    storage,
    startMs: Date.now(),
    historyRetentionMs: WEEK_MS,
    publicUrl: ORIGIN,
    admin: { console: SITE, token: ADMIN_TOKEN, origin: ORIGIN, ...admin },
    ...options,
  });
  const send: AdminTestService["admin"] = (path, { json, ...request } = {}) =>
    service.send(`/admin/v1${path}`, {
      token: ADMIN_TOKEN,
      ...request,
      ...(json !== undefined && {
        body: JSON.stringify(json),
        headers: { "Content-Type": "application/json", ...request.headers },
      }),
    });
  return {
    ...service,
    embedded: storage,
    admin: send,
    async read(path, request) {
      const reply = await send(path, request);
      if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.body.toString()}`);
      return jsonOf(reply);
    },
  };
}

/** Sends requests as a page of the console does. */
export interface Browser {
  readonly cookie: string;
  readonly send: (path: string, request?: AdminRequest) => Promise<Reply>;
}

/** Signs in with a link. */
export async function signIn(service: AdminTestService, origin = ORIGIN): Promise<Browser> {
  const { code } = await service.engine.operators.createLink();
  const reply = await postCode(service, code, { Origin: origin });
  const cookie = String(reply.headers["set-cookie"]).split(";", 1)[0] ?? "";
  return {
    cookie,
    send: (path, request = {}) =>
      service.admin(path, {
        ...request,
        token: undefined,
        headers: { Cookie: cookie, Origin: origin, "Sec-Fetch-Site": "same-origin", ...request.headers },
      }),
  };
}

/** Sends the code from a sign-in link. */
export function postCode(
  service: Pick<AdminTestService, "admin">,
  code: unknown,
  headers: Readonly<Record<string, string>> = { Origin: ORIGIN },
): Promise<Reply> {
  return service.admin("/sign-in", { method: "POST", token: undefined, json: { code }, headers });
}

/** Options of an admin API without a console. */
export const TOKEN_ONLY: AdminOptions = { console: null, token: ADMIN_TOKEN };
