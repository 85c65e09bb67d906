import { messageOf } from "@snap/engine/internals";
import { AdminError, type AdminErrorCode } from "@snap/engine";
import type { ErrorEnvelope } from "@snap/protocol";
import { OperatorError } from "../../operator-error.ts";
import { EMAIL_TAKEN } from "../failures.ts";
import { ADMIN_BASE } from "../route.ts";

/** Deleting a large account takes several seconds. */
const RESPONSE_LIMIT_MS = 120_000;

/** A service with an admin API. */
export interface RemoteService {
  /** URL without a trailing slash. */
  readonly url: string;
  /** The service's SNAP_ADMIN_TOKEN. */
  readonly token: string;
}

export interface RemoteCall {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Relative to `/admin/v1`. */
  readonly path: string;
  /** Absent values are not sent. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: object;
  /** A field of the admin API's response; a document without it is another program's. `id` by default. */
  readonly requiredField?: "entries" | "id" | "ids" | "version";
  /** Thrown if the resource does not exist. */
  readonly notFoundError?: AdminError;
  /** Error code for a rejection that names no parameter; `refused` by default. */
  readonly refusalCode?: AdminErrorCode;
}

/**
 * Sends a request to a service's admin API and returns the JSON document.
 *
 * @throws AdminError if the operation is impossible; OperatorError if the API is unusable.
 */
export async function callRemote<Document>(service: RemoteService, call: RemoteCall): Promise<Document> {
  const response = await send(service, call);
  if (!response.ok) throw await explain(service, call, response);
  const document = await readJson(service, response);
  // other programs may also respond to everything with some JSON document
  if (!Object.hasOwn(Object(document) as object, call.requiredField ?? "id"))
    throw notServedError(service.url);
  return document as Document;
}

async function send(
  { url, token }: RemoteService,
  { method = "GET", path, query = {}, body }: RemoteCall,
): Promise<Response> {
  const target = new URL(`${url}${ADMIN_BASE}${path}`);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) target.searchParams.set(name, String(value));
  try {
    return await fetch(target, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // a redirect could send the token to another origin
      redirect: "manual",
      signal: AbortSignal.timeout(RESPONSE_LIMIT_MS),
    });
  } catch (error) {
    throw unreachableError(url, error);
  }
}

async function readJson({ url }: RemoteService, response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    // the address may be that of a website
    throw error instanceof SyntaxError ? notServedError(url) : unreachableError(url, error);
  }
}

function unreachableError(url: string, error: unknown): OperatorError {
  if (error instanceof Error && error.name === "TimeoutError")
    return new OperatorError(
      "admin_api_unreachable",
      `${url} did not respond within ${RESPONSE_LIMIT_MS / 1000} s; it may still carry out the request`,
      "check the service's log, then repeat the command",
      { cause: error },
    );
  return new OperatorError(
    "admin_api_unreachable",
    `${url} cannot be reached: ${reasonOf(error)}`,
    "correct SNAP_ADMIN_URL, or start the service",
    { cause: error },
  );
}

/** The errors of `fetch` have the reason in `cause`. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  // the text is OpenSSL's, with addresses and file names
  if ((cause as { code?: unknown }).code === "ERR_SSL_WRONG_VERSION_NUMBER") return "no TLS on this port";
  return messageOf(cause);
}

async function explain(service: RemoteService, call: RemoteCall, response: Response): Promise<Error> {
  const { url } = service;
  const envelope = ((await response.json().catch(() => null)) ?? {}) as Partial<ErrorEnvelope>;
  const { code, message = "" } = envelope;
  if (code === "unauthenticated")
    return new OperatorError(
      "admin_token_rejected",
      `${url} rejects SNAP_ADMIN_TOKEN`,
      "set it to the SNAP_ADMIN_TOKEN of the service",
    );
  if (code === "not_found")
    return call.notFoundError !== undefined && (await isServed(service))
      ? call.notFoundError
      : notServedError(url);
  if (code === "validation_failed")
    return new AdminError(message.replace(/\.$/, ""), { code: codeOf(envelope, call) });
  const what = code === undefined ? `status ${response.status} and no error envelope` : `${code}: ${message}`;
  return new OperatorError(
    "admin_api_unreachable",
    `${url} responds with ${what}`,
    "check SNAP_ADMIN_URL and the service's log",
  );
}

function codeOf({ errors }: Partial<ErrorEnvelope>, { refusalCode = "refused" }: RemoteCall): AdminErrorCode {
  if (errors === undefined) return refusalCode;
  return errors["email"]?.includes(EMAIL_TAKEN) ? "email_taken" : "invalid_value";
}

/** Returns whether the admin API is on; otherwise, all its paths are unknown. */
async function isServed(service: RemoteService): Promise<boolean> {
  return (await send(service, { path: "/session" })).ok;
}

/** Returns the error for a program at `url` that responds, but does not serve an admin API. */
export function notServedError(url: string): OperatorError {
  return new OperatorError(
    "admin_api_unreachable",
    `${url} does not serve an admin API`,
    "set SNAP_ADMIN_TOKEN for the service, or correct SNAP_ADMIN_URL",
  );
}
