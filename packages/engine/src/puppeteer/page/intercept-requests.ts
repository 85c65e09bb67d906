import type { CDPSession, Protocol } from "puppeteer";

export type PausedRequest = Protocol.Fetch.RequestPausedEvent;

/** A response to a request that is not sent. */
export interface LocalResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Fails a request, fulfills it, or sets header fields. After header fields or `null`, the next rules decide. */
export type Verdict =
  | { readonly fail: Protocol.Network.ErrorReason }
  | { readonly fulfill: LocalResponse }
  | { readonly setHeaders: Readonly<Record<string, string>> }
  | null;

/** Handles the requests of a page's frames before they are sent; each redirect is a separate request. */
export interface RequestRule {
  /** The requests to pause. The rule may also receive others. */
  readonly patterns: readonly Protocol.Fetch.RequestPattern[];
  readonly judge: (request: PausedRequest) => Verdict | Promise<Verdict>;
}

/**
 * Pauses the requests that match the rules; the first rule that fails or fulfills a request decides. The DevTools
 * protocol does not report WebSockets or some worker requests, so this is not a security boundary.
 */
export class RequestInterceptor {
  readonly #added: RequestRule[] = [];
  readonly #last: readonly RequestRule[];
  readonly #sessions = new WeakSet<CDPSession>();

  /** @param last - Handles requests that no other rule fails or fulfills. */
  constructor(last: RequestRule | null) {
    this.#last = last === null ? [] : [last];
  }

  /** Whether there are rules; if so, sessions must be intercepted before they send a request. */
  get isNeeded(): boolean {
    return this.#rules.length > 0;
  }

  /** Adds rules, which decide before those of earlier calls. */
  add(...rules: readonly RequestRule[]): void {
    this.#added.unshift(...rules);
  }

  /** Applies the rules to a session's requests; another call also applies those added since. */
  async intercept(session: CDPSession): Promise<void> {
    if (!this.#sessions.has(session)) {
      this.#sessions.add(session);
      session.on("Fetch.requestPaused", (paused) => {
        this.#decide(session, paused).catch(() => {}); // the page has closed
      });
    }
    await session.send("Fetch.enable", { patterns: this.#rules.flatMap(({ patterns }) => patterns) });
  }

  get #rules(): readonly RequestRule[] {
    return [...this.#added, ...this.#last];
  }

  async #decide(session: CDPSession, paused: PausedRequest): Promise<void> {
    const { requestId } = paused;
    const newHeaders = new Map<string, string>();
    for (const { judge } of this.#rules) {
      const verdict = await judge(paused);
      if (verdict === null) continue;
      if ("fail" in verdict) {
        await session.send("Fetch.failRequest", { requestId, errorReason: verdict.fail });
        return;
      }
      if ("fulfill" in verdict) {
        await session.send("Fetch.fulfillRequest", { requestId, ...responseOf(verdict.fulfill) });
        return;
      }
      for (const [name, value] of Object.entries(verdict.setHeaders))
        newHeaders.set(name.toLowerCase(), value);
    }
    await session.send("Fetch.continueRequest", { requestId, ...withHeaders(paused, newHeaders) });
  }
}

function responseOf({
  status,
  headers,
  body,
}: LocalResponse): Omit<Protocol.Fetch.FulfillRequestRequest, "requestId"> {
  return {
    responseCode: status,
    responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("base64"),
  };
}

/** The protocol replaces all header fields of a request, and does not repeat them after a redirect. */
function withHeaders(
  { request }: PausedRequest,
  set: ReadonlyMap<string, string>,
): Pick<Protocol.Fetch.ContinueRequestRequest, "headers"> {
  if (set.size === 0) return {};
  const kept = Object.entries(request.headers).filter(([name]) => !set.has(name.toLowerCase()));
  return { headers: [...kept, ...set].map(([name, value]) => ({ name, value })) };
}
