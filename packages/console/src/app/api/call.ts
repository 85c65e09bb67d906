import { readDocument, readFailure } from "./failure.ts";

/** `null`, `undefined` and empty values are not sent. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Call {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly query?: Query;
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
  /** 30,000 by default. */
  readonly timeoutMs?: number;
}

interface ApiClientOptions {
  /** Bearer token; without one, the session cookie authenticates the calls. */
  readonly token?: string;
  /** Called when the service rejects the session or the token. */
  readonly onUnauthorized?: () => void;
}

/** Calls one API. Throws an `ApiFailure` for an error response; errors of `fetch` pass through. */
export interface ApiClient {
  /** Sends a request and returns its response. */
  readonly send: (path: string, call?: Call) => Promise<Response>;
  /** Sends a request and returns the JSON of its response. */
  readonly read: <T>(path: string, call?: Call) => Promise<T>;
}

/** @param base URL that paths are appended to. */
export function createApiClient(base: string, { token, onUnauthorized }: ApiClientOptions = {}): ApiClient {
  const send: ApiClient["send"] = async (path, call = {}) => {
    const response = await request(base + path, call, token);
    if (response.ok) return response;
    if (response.status === 401) onUnauthorized?.();
    throw await readFailure(response);
  };
  return { send, read: async (path, call) => readDocument(await send(path, call)) };
}

async function request(
  url: string,
  { method = "GET", query = {}, body, signal, timeoutMs = 30_000 }: Call,
  token: string | undefined,
): Promise<Response> {
  const headers = new Headers({ Accept: "application/json" });
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  const limit = AbortSignal.timeout(timeoutMs);
  return fetch(url + toSearch(query), {
    method,
    headers,
    cache: "no-store",
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Returns the query with its question mark; `""` if it is empty. */
export function toSearch(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  return search.size === 0 ? "" : `?${search}`;
}
