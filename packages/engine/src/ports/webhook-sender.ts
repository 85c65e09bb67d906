/** One delivery attempt: a POST of `body`, with what `headers` say about it. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Why an attempt has no answer, for the log and the figures. `blocked`: an address that isn't to be
 * connected to; `unresolved`: its name has no address; `unreachable`: no connection, or none that proves
 * to be the receiver's. None of these three has sent anything. `timed-out`: not over in time; `broken`:
 * what came is no HTTP, cut short or too long, or the sender was closed meanwhile.
 */
export type WebhookFailureReason = "blocked" | "unresolved" | "unreachable" | "timed-out" | "broken";

/** How an attempt ended. What a status means is for the caller to say (interface.md, Events). */
export type WebhookOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** What `Retry-After` asks for, counted from now and never negative; `null` without one that can be read. */
      readonly retryAfterMs: number | null;
    }
  | { readonly kind: "failed"; readonly reason: WebhookFailureReason };

/**
 * Makes delivery attempts, each of them bounded in time and in what it reads. It neither follows
 * redirects nor tries again.
 */
export interface WebhookSender {
  /** Never throws for what the receiver does. */
  send(request: WebhookRequest): Promise<WebhookOutcome>;
  /** Ends what is still being sent, as `broken`; so is everything that is to be sent afterwards. */
  close(): Promise<void>;
}
