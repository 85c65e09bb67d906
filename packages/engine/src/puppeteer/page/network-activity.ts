import type { Protocol } from "puppeteer";

/** How long a page's connections must stay within the limit for `networkidle0` or `networkidle2`. */
const IDLE_MS = 500;
/** To limit memory, a page with more concurrent requests counts as busy from then on. */
const IN_FLIGHT_MAX = 10_000;
/** A page that starts more workers also counts as busy, because following each costs several messages. */
const WORKERS_MAX = 100;
/** Responses with these types may stay open for the page's lifetime, so they count only until they start. */
const STREAMS: ReadonlySet<Protocol.Network.ResourceType> = new Set(["EventSource", "Media"]);
const STREAM_TYPE = /^(audio|video)\/|^(text\/event-stream|multipart\/x-mixed-replace)$/i;
/** Their responses are, or are read by, scripts. */
const FOR_SCRIPTS: ReadonlySet<Protocol.Network.ResourceType> = new Set(["Fetch", "XHR", "Script"]);

/** Errors of requests that were canceled or rejected within the browser. */
const NOT_SENT = /ERR_(ABORTED|BLOCKED_BY|INSUFFICIENT_RESOURCES)/;
/** Schemes that need no connection. */
const INLINE = /^(data|blob):/i;

interface InFlightRequest {
  /** The last session that reported it: a worker's script starts in the page's session and ends in the worker's. */
  sessionId: string;
  readonly frameId: string | undefined;
  readonly loaderId: string;
  readonly isDocument: boolean;
  /** Remaining bytes of the body; `null` if its length is unknown. */
  bytesLeft: number | null;
}

export interface NetworkActivityOptions {
  /** Number of open connections that an idle page may have. */
  readonly connectionsMax: number;
  /** Whether workers report their requests. If not, the end of a worker's script is not reported. */
  readonly countsWorkers: boolean;
  /** Called after the network has been idle for half a second. */
  readonly onIdle: () => void;
}

/**
 * Counts the open connections of a page, its frames and workers, and reports when the network has been idle for half a
 * second. Chromium's own idle events are at least half a second late.
 */
export class NetworkActivity {
  readonly #connectionsMax: number;
  readonly #countsWorkers: boolean;
  readonly #onIdle: () => void;
  readonly #inFlight = new Map<string, InFlightRequest>();
  #scriptRequests = 0;
  #workers = 0;
  #failures = 0;
  #hasOverflowed = false;
  #idleTimer: NodeJS.Timeout | undefined;
  #isIdle = false;

  constructor({ connectionsMax, countsWorkers, onIdle }: NetworkActivityOptions) {
    this.#connectionsMax = connectionsMax;
    this.#countsWorkers = countsWorkers;
    this.#onIdle = onIdle;
  }

  /** Whether the network has been idle for at least half a second. */
  get isIdle(): boolean {
    return this.#isIdle;
  }

  /** Number of requests that have begun and whose responses scripts may use to change the page. */
  get scriptRequests(): number {
    return this.#scriptRequests;
  }

  /** The ids of the requests in flight. */
  get requestIds(): Iterable<string> {
    return this.#inFlight.keys();
  }

  /** Number of requests that failed, before or during their response, except canceled or blocked ones. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether the page exceeded the maximum number of counted requests or workers. */
  get hasOverflowed(): boolean {
    return this.#hasOverflowed;
  }

  get isWithinLimit(): boolean {
    return !this.#hasOverflowed && this.#inFlight.size <= this.#connectionsMax;
  }

  /** Starts or cancels the idle timer. Called after each event of the page. */
  update(isIdleNow: boolean): void {
    if (!isIdleNow) {
      clearTimeout(this.#idleTimer);
      this.#idleTimer = undefined;
      this.#isIdle = false;
      return;
    }
    this.#idleTimer ??= setTimeout(() => {
      this.#isIdle = true;
      this.#onIdle();
    }, IDLE_MS);
  }

  beginWorker(): void {
    this.#workers += 1;
    if (this.#workers > WORKERS_MAX) this.#hasOverflowed = true;
  }

  /** A redirect keeps the id of the original request. */
  begin(sessionId: string, sent: Protocol.Network.RequestWillBeSentEvent): void {
    const { requestId, frameId, loaderId, type, request } = sent;
    const isWorkerScript = type === "Script" && isFromBrowser(requestId);
    // a worker that is terminated before it starts never reports the end of its script, and an
    // inline script needs no connection
    if (isWorkerScript && (!this.#countsWorkers || INLINE.test(request.url))) return;
    if (type !== undefined && FOR_SCRIPTS.has(type)) this.#scriptRequests += 1;
    const isDocument = type === "Document";
    this.#add(requestId, { sessionId, frameId, loaderId, isDocument, bytesLeft: null });
  }

  respond(sessionId: string, { requestId, type, response }: Protocol.Network.ResponseReceivedEvent): void {
    // the player reloads a media document, and the end of the first request is not reported
    if (STREAMS.has(type) || STREAM_TYPE.test(response.mimeType)) return this.end({ requestId });
    const request = this.#inFlight.get(requestId);
    if (request === undefined) return;
    request.sessionId = sessionId;
    request.bytesLeft = bodyBytes(response.headers);
  }

  /** Chromium never reports the end of a body that no script reads, even if all of it has arrived. */
  receive({ requestId, dataLength }: Protocol.Network.DataReceivedEvent): void {
    const request = this.#inFlight.get(requestId);
    if (request === undefined || request.bytesLeft === null) return;
    request.bytesLeft -= dataLength;
    if (request.bytesLeft <= 0) this.end({ requestId });
  }

  /** A WebSocket counts until it is open. */
  beginWebSocket(sessionId: string, requestId: string): void {
    this.#add(requestId, { sessionId, frameId: undefined, loaderId: "", isDocument: false, bytesLeft: null });
  }

  fail({ requestId, canceled, blockedReason, errorText }: Protocol.Network.LoadingFailedEvent): void {
    const isBlocked = blockedReason !== undefined || NOT_SENT.test(errorText);
    if (canceled !== true && !isBlocked) this.#failures += 1;
    this.end({ requestId });
  }

  end({ requestId }: { readonly requestId: string }): void {
    this.#inFlight.delete(requestId);
  }

  /** Called when a frame shows a new document: Chromium does not report the ends of all earlier requests. */
  dropPreviousDocument({ id, loaderId }: Protocol.Page.Frame): void {
    this.#drop((request) => request.frameId === id && request.loaderId !== loaderId && !request.isDocument);
  }

  /**
   * Called when the session's own frame shows a new document: Chromium does not report the ends of the previous
   * document's WebSockets, or of its frames' requests.
   */
  dropSessionDocuments(sessionId: string, { loaderId }: Protocol.Page.Frame): void {
    this.#drop((request) => request.sessionId === sessionId && request.loaderId !== loaderId);
  }

  dropFrame(frameId: string): void {
    this.#drop((request) => request.frameId === frameId);
  }

  /** Called when a worker or an out-of-process frame ends: Chromium does not report the ends of all its requests. */
  dropSession(sessionId: string, ownFrameId?: string): void {
    // a frame that moves to another process is still loading its next document
    this.#drop(
      (request) => request.sessionId === sessionId && !(request.isDocument && request.frameId === ownFrameId),
    );
  }

  #add(requestId: string, request: InFlightRequest): void {
    if (this.#inFlight.size >= IN_FLIGHT_MAX) this.#hasOverflowed = true;
    else this.#inFlight.set(requestId, request);
  }

  #drop(matches: (request: InFlightRequest) => boolean): void {
    for (const [requestId, request] of this.#inFlight) if (matches(request)) this.#inFlight.delete(requestId);
  }
}

/** Length of an uncompressed body; for a compressed one, Chromium reports the decompressed bytes. */
function bodyBytes(headers: Protocol.Network.Headers): number | null {
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const length = Number(fields.get("content-length") ?? Number.NaN);
  return fields.has("content-encoding") || !Number.isInteger(length) ? null : length;
}

/** Renderers number their requests, as in `4711.2`. The browser process loads worker scripts and uses random ids. */
function isFromBrowser(requestId: string): boolean {
  return !requestId.includes(".");
}
