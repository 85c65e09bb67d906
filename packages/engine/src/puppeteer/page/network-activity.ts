import type { Protocol } from "puppeteer";

/** `networkidle0` and `networkidle2` ask for this long without more connections than they allow. */
const QUIET_MS = 500;
/** A page with more requests at once counts as busy from then on, so that what we keep of it stays bounded. */
const IN_FLIGHT_MAX = 10_000;
/** A page that starts more workers counts as busy, too: each costs several messages to follow. */
const WORKERS_MAX = 100;
/** They stay open for as long as the page likes, so only their start counts as a connection. */
const STREAMS: ReadonlySet<Protocol.Network.ResourceType> = new Set(["EventSource", "Media"]);

const MEDIA_TYPE = /^(audio|video)\//i;
/** Needs no connection. */
const INLINE = /^(data|blob):/i;

interface InFlight {
  /** The session that reported it last: a worker's script begins in the page's and ends in the worker's. */
  sessionId: string;
  readonly frameId: string | undefined;
  readonly loaderId: string;
  readonly isDocument: boolean;
  /** What is still to come of the body; `null` when the response did not say its length. */
  bytesLeft: number | null;
}

export interface NetworkActivityOptions {
  /** How many connections an idle page may have. */
  readonly connectionsMax: number;
  /** Whether workers report their requests, too. If not, the end of a worker's script goes unreported. */
  readonly countsWorkers: boolean;
  /** Called when a quiet half second ends. */
  readonly onIdle: () => void;
}

/**
 * Counts a page's open connections, over all its frames and workers, and reports when they have been few
 * enough for half a second. Chromium's own idle events come half a second late or more.
 */
export class NetworkActivity {
  readonly #connectionsMax: number;
  readonly #countsWorkers: boolean;
  readonly #onIdle: () => void;
  readonly #inFlight = new Map<string, InFlight>();
  #workers = 0;
  #hasOverflowed = false;
  #quietTimer: NodeJS.Timeout | undefined;
  #isIdle = false;

  constructor({ connectionsMax, countsWorkers, onIdle }: NetworkActivityOptions) {
    this.#connectionsMax = connectionsMax;
    this.#countsWorkers = countsWorkers;
    this.#onIdle = onIdle;
  }

  /** Whether the network has been quiet for half a second, up to now. */
  get isIdle(): boolean {
    return this.#isIdle;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Whether the page made more requests or workers than are counted. */
  get hasOverflowed(): boolean {
    return this.#hasOverflowed;
  }

  get isWithinLimit(): boolean {
    return !this.#hasOverflowed && this.#inFlight.size <= this.#connectionsMax;
  }

  /** Starts the half second, or starts it over. Called after each event of the page. */
  update(isQuiet: boolean): void {
    if (!isQuiet) {
      clearTimeout(this.#quietTimer);
      this.#quietTimer = undefined;
      this.#isIdle = false;
      return;
    }
    this.#quietTimer ??= setTimeout(() => {
      this.#isIdle = true;
      this.#onIdle();
    }, QUIET_MS);
  }

  beginWorker(): void {
    this.#workers += 1;
    if (this.#workers > WORKERS_MAX) this.#hasOverflowed = true;
  }

  /** A redirect is reported under the id of the request that it continues. */
  begin(sessionId: string, sent: Protocol.Network.RequestWillBeSentEvent): void {
    const { requestId, frameId, loaderId, type, request } = sent;
    const isWorkerScript = type === "Script" && isFromBrowser(requestId);
    // of a worker that is terminated before it starts, the end of its script goes unreported
    if (isWorkerScript && (!this.#countsWorkers || INLINE.test(request.url))) return;
    const isDocument = type === "Document";
    this.#add(requestId, { sessionId, frameId, loaderId, isDocument, bytesLeft: null });
  }

  respond(sessionId: string, { requestId, type, response }: Protocol.Network.ResponseReceivedEvent): void {
    // a document that is a film is loaded once more, by its player, and its own end goes unreported
    if (STREAMS.has(type) || MEDIA_TYPE.test(response.mimeType)) return this.end({ requestId });
    const request = this.#inFlight.get(requestId);
    if (request === undefined) return;
    request.sessionId = sessionId;
    request.bytesLeft = bodyBytes(response.headers);
  }

  /** A body that no script reads is never reported as finished, though all of it has come. */
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

  end({ requestId }: { readonly requestId: string }): void {
    this.#inFlight.delete(requestId);
  }

  /** The frame shows another document; not every request of the one before is reported as ended. */
  dropDocument({ id, loaderId }: Protocol.Page.Frame): void {
    this.#drop((request) => request.frameId === id && request.loaderId !== loaderId && !request.isDocument);
  }

  /**
   * The session's own frame shows another document now. With the one before went its frames and its
   * WebSockets, and Chromium reports the end of none of them.
   */
  dropSessionDocuments(sessionId: string, { loaderId }: Protocol.Page.Frame): void {
    this.#drop((request) => request.sessionId === sessionId && request.loaderId !== loaderId);
  }

  dropFrame(frameId: string): void {
    this.#drop((request) => request.frameId === frameId);
  }

  /** A worker, or the frames of another process, ended: Chromium does not report each of their requests. */
  dropSession(sessionId: string, ownFrameId?: string): void {
    // a frame that only changes its process is on its way to another document
    this.#drop(
      (request) => request.sessionId === sessionId && !(request.isDocument && request.frameId === ownFrameId),
    );
  }

  #add(requestId: string, request: InFlight): void {
    if (this.#inFlight.size >= IN_FLIGHT_MAX) this.#hasOverflowed = true;
    else this.#inFlight.set(requestId, request);
  }

  #drop(isOver: (request: InFlight) => boolean): void {
    for (const [requestId, request] of this.#inFlight) if (isOver(request)) this.#inFlight.delete(requestId);
  }
}

/** Length of a body that comes as it is; what is compressed is reported as it is unpacked. */
function bodyBytes(headers: Protocol.Network.Headers): number | null {
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const length = Number(fields.get("content-length") ?? Number.NaN);
  return fields.has("content-encoding") || !Number.isInteger(length) ? null : length;
}

/** Renderers number their requests, as in `4711.2`; the browser, which fetches workers' scripts, names its own at random. */
function isFromBrowser(requestId: string): boolean {
  return !requestId.includes(".");
}
