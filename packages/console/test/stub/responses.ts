import type { Data } from "./data.ts";

/** How the stub responds to API calls, except those for signing in and out and for the session. */
export type Scenario = "normal" | "empty" | "failing" | "hanging";

/** A fake service that uses the types of `@snap/protocol` and stores its data in memory. */
export interface Stub {
  readonly origin: string;
  /** Path of the console; ends in `console/`. The paths of the APIs start at its parent. */
  readonly base: string;
  readonly data: Data;
  /** The current time, in milliseconds. */
  readonly now: () => number;
  /** The body of rendered images. */
  image: Buffer;
  scenario: Scenario;
  /** Called before a response is sent; delays it until the returned promise is fulfilled. */
  before: (call: Call) => Promise<void>;
  /** Codes of unused sign-in links. */
  readonly codes: Set<string>;
  readonly sessions: Set<string>;
  /** Accepted tokens. */
  readonly tokens: Set<string>;
  /** All API calls, in order. */
  readonly calls: Call[];
  readonly close: () => Promise<void>;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parsed JSON; `null` if there is no body. */
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly token: string | null;
  readonly cookie: string | null;
}

export interface StubResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | Buffer | string;
}

export function ok(body: object, status = 200): StubResponse {
  return { status, body };
}

export function envelope(status: number, code: string, message: string, errors?: object): StubResponse {
  const request_id = "0b5f4f3e-0000-4000-8000-00000000abcd";
  return {
    status,
    headers: { "X-Request-Id": request_id, ...(status >= 502 && { "Retry-After": "5" }) },
    body: { code, message, ...(errors && { errors }), request_id },
  };
}

export function page(
  entries: readonly { readonly id: string | number }[],
  query: URLSearchParams,
): StubResponse {
  const after = query.get("after");
  const start = after === null ? 0 : entries.findIndex(({ id }) => String(id) === after) + 1;
  const limit = Number(query.get("limit") ?? 50);
  return ok({ entries: entries.slice(start, start + limit), has_more: entries.length > start + limit });
}
