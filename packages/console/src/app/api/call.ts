import { readFailure } from "./failure.ts";

/** `null`, `undefined` and empty values are not sent. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Call {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly query?: Query;
  readonly body?: object;
  /** Bearer token; without one, the session cookie authenticates the call. */
  readonly token?: string;
  readonly signal?: AbortSignal | undefined;
}

const CALL_TIMEOUT_MS = 30_000;

/**
 * Sends a request and returns its response.
 *
 * @throws ApiFailure for an error response; whatever `fetch` throws if there is no response.
 */
export async function send(
  url: string,
  { method = "GET", query = {}, body, token, signal }: Call,
): Promise<Response> {
  const headers = new Headers({ Accept: "application/json" });
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  const limit = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const response = await fetch(url + toSearch(query), {
    method,
    headers,
    cache: "no-store",
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw await readFailure(response);
  return response;
}

/** Sends a request and returns the JSON of its response. */
export async function call<T>(url: string, request: Call = {}): Promise<T> {
  const response = await send(url, request);
  return (await response.json()) as T;
}

/** Returns the query with its question mark; `""` if it is empty. */
export function toSearch(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  return search.size === 0 ? "" : `?${search}`;
}
