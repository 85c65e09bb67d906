import type { ListObjectsOutcome, StoreFailure } from "../ports/object-store.ts";
import type { WebhookFailureReason } from "../ports/webhook-sender.ts";
import type { HttpOutcome } from "./http-sender.ts";

/** Statuses after which a retry can succeed (RFC 9110, 15.5.9; RFC 6585, 4), besides 5xx. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([408, 429]);
/** S3's code, with status 400, for a request whose body does not arrive in time. */
const BODY_TIMEOUT_CODE = "RequestTimeout";
/** S3 can send an error with status 200 if it occurs after the response has started; a retry can succeed. */
const XML_ERROR = /^\s*(?:<\?xml[^>]*\?>\s*)?<Error[\s>]/;
/** The code of an error is at the start of its XML document. */
export const ERROR_START_BYTES = 2048;

/** The body of a successful response, or why the request failed. */
export type S3Response = { readonly body: Uint8Array<ArrayBuffer> } | S3Failure;

interface S3Failure {
  readonly failure: StoreFailure;
  /** Whether the object does not exist, but its bucket does. */
  readonly isMissing: boolean;
}

export function readResponse(outcome: HttpOutcome, timeoutMs: number): S3Response {
  if (outcome.kind === "failed") {
    const { reason } = outcome;
    const failure: StoreFailure =
      reason === "timed-out"
        ? { reason, detail: `no response within ${timeoutMs} ms` }
        : { reason: reason === "blocked" ? "refused" : "unavailable", detail: EXPLANATIONS[reason] };
    return { failure, isMissing: false };
  }
  const { status, body } = outcome;
  const isSuccess = status >= 200 && status < 300;
  const text = new TextDecoder().decode(body.subarray(0, ERROR_START_BYTES));
  if (isSuccess && !XML_ERROR.test(text)) return { body };
  // the store can send anything; its codes are words such as AccessDenied
  const [, code = ""] = /<Code>(\w{1,64})<\/Code>/.exec(text) ?? [];
  const isBusy = isSuccess || status >= 500 || BUSY_STATUSES.has(status) || code === BODY_TIMEOUT_CODE;
  return {
    failure: { reason: isBusy ? "unavailable" : "refused", detail: `${status} ${code}`.trimEnd() },
    isMissing: status === 404 && code === "NoSuchKey",
  };
}

/**
 * Reads the keys of a list that was requested with `encoding-type=url`, and skips everything else. The list can be cut
 * off after any byte.
 */
export function readKeys(body: Uint8Array): ListObjectsOutcome {
  const text = new TextDecoder().decode(body);
  const keys = Array.from(text.matchAll(/<Key>([^<]{1,4096})<\/Key>/g), ([, key = ""]) =>
    decodeKey(key),
  ).filter((key) => key !== null);
  // without keys, only a whole list shows that there are no objects
  const isWhole = text.includes("</ListBucketResult>") && !text.includes("<IsTruncated>true<");
  if (!text.includes("<ListBucketResult"))
    return { failure: { reason: "unavailable", detail: "the response is not a list of objects" } };
  if (keys.length === 0 && !isWhole)
    return { failure: { reason: "unavailable", detail: "the list has no keys, but is not complete" } };
  return { keys };
}

function decodeKey(encoded: string): string | null {
  try {
    // some services encode a space as a plus sign, as forms do
    return decodeURIComponent(encoded.replaceAll("+", "%20"));
  } catch {
    return null;
  }
}

const EXPLANATIONS: Readonly<Record<Exclude<WebhookFailureReason, "timed-out">, string>> = {
  blocked: "its address is not allowed",
  unresolved: "its host name has no address",
  "resolver-failed": "name resolution failed",
  unreachable: "no connection, or an invalid certificate",
  "proxy-failed": "the upstream proxy failed",
  broken: "the connection was lost, or the response is too long or not valid HTTP",
};
