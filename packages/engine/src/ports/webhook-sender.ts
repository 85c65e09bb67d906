/** A delivery attempt: a POST of `body`. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Once it aborts, the attempt fails with `broken`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Why an attempt failed. The first five mean that nothing was sent: `blocked`, the address is not
 * allowed; `unresolved`, the name has no address; `resolver-failed`, name resolution failed;
 * `unreachable`, no connection or an invalid certificate; `proxy-failed`, the upstream proxy is
 * down or rejects this service. `timed-out`: the attempt took too long. `broken`: the connection
 * was lost, the response is not HTTP or is too long, or the attempt was aborted.
 */
export type WebhookFailureReason =
  "blocked" | "unresolved" | "resolver-failed" | "unreachable" | "proxy-failed" | "timed-out" | "broken";

/** The result of an attempt. The caller interprets the status. */
export type WebhookOutcome =
  | {
      readonly kind: "responded";
      readonly status: number;
      /** The delay that `Retry-After` asks for, measured from now; never negative. `null` if absent or invalid. */
      readonly retryAfterMs: number | null;
      /** The start of the response body, at most 2 KiB, decoded as UTF-8. */
      readonly body: string;
    }
  | { readonly kind: "failed"; readonly reason: WebhookFailureReason };

/** Makes delivery attempts with limited time and response size. Does not follow redirects and does not retry. */
export interface WebhookSender {
  /** Does not throw if the receiver fails; the outcome says why. */
  send(request: WebhookRequest): Promise<WebhookOutcome>;
  /** Current and later attempts fail with `broken`. */
  close(): Promise<void>;
}
