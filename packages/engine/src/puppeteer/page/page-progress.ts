import type { WaitEvent } from "@snap/protocol";
import type { CDPSession, Protocol } from "puppeteer";
import { abortable } from "../../timeouts.ts";
import { NetworkActivity, type NetworkActivityOptions } from "./network-activity.ts";

/** A meta refresh within this delay is treated as a redirect. */
const REDIRECT_DELAY_MAX_SECONDS = 1;
/** Redirecting scripts normally need no more navigations than this, the first one included. */
const NAVIGATIONS_EXPECTED_MAX = 4;
/** Equal to the number of redirects that Chromium follows. */
const NAVIGATIONS_FOLLOWED_MAX = 20;

/**
 * Tracks the main frame's documents and navigations, and the page's connections. Uses only the browser's events, which
 * the page cannot forge.
 */
export class PageProgress {
  readonly #mainFrameId: string;
  readonly #watchers = new Set<() => void>();
  /** Unique for each document. */
  #loaderId = "";
  #documentUrl = "";
  /** The events that the current document has reached. */
  readonly #reached = new Set<"domcontentloaded" | "load">();
  #isLoading = false;
  #hasStopped = false;
  /** The frame stopped loading the current document before `load`. */
  #hasStoppedEarly = false;
  /** A navigation to another document has started. */
  #isNavigating = false;
  /** A navigation is scheduled but has not started. */
  #isScheduled = false;
  #navigations = 0;
  #isAbandoned = false;
  #failedUrl: string | null = null;
  #activity: NetworkActivity | null = null;

  /** @param mainFrameId - Stays the same across navigations. */
  constructor(mainFrameId: string) {
    this.#mainFrameId = mainFrameId;
  }

  /** The URL that failed to load, if the main frame shows the browser's error page. */
  get failedUrl(): string | null {
    return this.#failedUrl;
  }

  /** Unique for each document of the main frame. */
  get documentId(): string {
    return this.#loaderId;
  }

  /** URL of the main frame's document, without the fragment. */
  get documentUrl(): string {
    return this.#documentUrl;
  }

  /** Whether the main frame has committed its first document, or stopped loading before that. */
  get hasCommittedOrStopped(): boolean {
    return this.#navigations > 0 || this.#hasStopped;
  }

  /** Whether the main frame shows a document, loaded or not, rather than the browser's error page. */
  get hasDocument(): boolean {
    return this.#navigations > 0 && this.#failedUrl === null;
  }

  /** Whether the main frame stopped loading the current document before `load`, and is not replacing it. */
  get hasStoppedEarly(): boolean {
    return this.#hasStoppedEarly && !this.#isNavigatingAway();
  }

  /** Whether the page's own navigations are still treated as redirects. */
  get followsNavigations(): boolean {
    return this.#navigations <= NAVIGATIONS_FOLLOWED_MAX;
  }

  /** Whether the page has navigated so often that it may do so again at any time. */
  get navigatesRepeatedly(): boolean {
    return this.#navigations > NAVIGATIONS_EXPECTED_MAX;
  }

  /** The page's connections; `null` unless the render waits for an idle network, or has `lazyContent=scroll`. */
  get activity(): NetworkActivity | null {
    return this.#activity;
  }

  /** Starts counting connections. The followed sessions must have the `Network` domain enabled. */
  countConnections(options: Pick<NetworkActivityOptions, "connectionsMax" | "countsWorkers">): void {
    this.#activity = new NetworkActivity({ ...options, onIdle: () => this.#notifyWatchers() });
  }

  /** Returns a condition: whether the requests that have begun since this call have ended. Always true without `activity`. */
  watchNewRequests(): () => boolean {
    const inFlight = (): string[] => [...(this.#activity?.requestIds ?? [])];
    const before = new Set(inFlight());
    return () => inFlight().every((id) => before.has(id));
  }

  /** Whether the current document has reached `event` and is not being replaced. */
  hasReached(event: WaitEvent): boolean {
    if (this.#isAbandoned) return true;
    if (this.#isNavigatingAway()) return false;
    if (event === "domcontentloaded") return this.#reached.has("domcontentloaded");
    // a refresh is scheduled after `load` and before the frame stops loading
    if (event === "load") return this.#reached.has("load") && !this.#isLoading;
    return this.#activity?.isIdle ?? false;
  }

  /** Handles an early stop of the current document, which counts as loaded if it is complete. */
  handleEarlyStop({ isComplete }: { readonly isComplete: boolean }): void {
    this.#hasStoppedEarly = false;
    if (!isComplete) return;
    this.#reached.add("domcontentloaded").add("load");
    // the document's own request has its loader's id, and Chromium does not always report the end
    this.#activity?.end({ requestId: this.#loaderId });
    this.#update();
  }

  /** From now on, the current document counts as loaded and idle, whatever the browser reports. */
  abandonLoading(): void {
    this.#isAbandoned = true;
    this.#notifyWatchers();
  }

  /** Resolves when `condition` is true; it is checked after each of the page's events. */
  async waitUntil(signal: AbortSignal, condition: () => boolean): Promise<void> {
    let watcher = (): void => {};
    const satisfied = new Promise<void>((resolve) => {
      watcher = () => {
        if (condition()) resolve();
      };
    });
    this.#watchers.add(watcher);
    watcher();
    try {
      await abortable(signal, satisfied);
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  /**
   * Listens to the session of the page, of an out-of-process frame or of a worker.
   *
   * @param ownFrameId - The root frame of the session; `null` for a worker.
   */
  follow(session: CDPSession, ownFrameId: string | null): void {
    const on = <E extends keyof FollowedEvents>(
      event: E,
      handle: (details: FollowedEvents[E]) => void,
    ): void => {
      session.on(event, (details: FollowedEvents[E]) => {
        handle(details);
        this.#update();
      });
    };
    // these are reported for the session's own frame only
    if (ownFrameId === this.#mainFrameId) {
      on("Page.domContentEventFired", () => this.#reached.add("domcontentloaded"));
      on("Page.loadEventFired", () => this.#reached.add("load"));
    }
    on("Page.frameNavigated", ({ frame }) => {
      this.#commit(frame);
      if (frame.id === ownFrameId) this.#activity?.dropSessionDocuments(session.id(), frame);
    });
    on("Page.frameDetached", ({ frameId, reason }) => {
      if (reason === "remove") this.#activity?.dropFrame(frameId);
    });
    on("Page.frameStartedLoading", ({ frameId }) => {
      if (this.#isMain(frameId)) this.#startLoading();
    });
    on("Page.frameStoppedLoading", ({ frameId }) => {
      if (!this.#isMain(frameId)) return;
      this.#isLoading = false;
      this.#isNavigating = false;
      this.#hasStopped = true;
      this.#hasStoppedEarly = this.#navigations > 0 && !this.#reached.has("load");
    });
    on("Page.frameScheduledNavigation", ({ frameId, delay }) => {
      if (this.#isMain(frameId) && delay <= REDIRECT_DELAY_MAX_SECONDS) this.#isScheduled = true;
    });
    on("Page.frameClearedScheduledNavigation", ({ frameId }) => {
      if (this.#isMain(frameId)) this.#isScheduled = false;
    });
    on("Page.frameStartedNavigating", ({ frameId, navigationType }) => {
      if (!this.#isMain(frameId) || WITHIN_DOCUMENT.has(navigationType)) return;
      // the only event that reports the first load of a page that was opened at its URL
      this.#startLoading();
      this.#isNavigating = true;
    });
    on("Network.requestWillBeSent", (sent) => this.#activity?.begin(session.id(), sent));
    on("Network.responseReceived", (received) => this.#activity?.respond(session.id(), received));
    on("Network.dataReceived", (received) => this.#activity?.receive(received));
    on("Network.loadingFinished", (finished) => this.#activity?.end(finished));
    on("Network.loadingFailed", (failed) => this.#activity?.fail(failed));
    on("Network.webSocketCreated", ({ requestId }) =>
      this.#activity?.beginWebSocket(session.id(), requestId),
    );
    on("Network.webSocketHandshakeResponseReceived", (opened) => this.#activity?.end(opened));
    on("Network.webSocketClosed", (closed) => this.#activity?.end(closed));
    on("Target.detachedFromTarget", ({ sessionId, targetId }) =>
      this.#activity?.dropSession(sessionId, targetId),
    );
  }

  /** Drops the requests of a worker that has ended. Needed only if no followed session reports its end. */
  dropWorker(sessionId: string): void {
    this.#activity?.dropSession(sessionId);
    this.#update();
  }

  #update(): void {
    // a scheduled navigation may stay within the document and has sent no request yet
    const isLeaving = this.#isNavigating && this.followsNavigations;
    const isParsed = this.#reached.has("domcontentloaded");
    this.#activity?.update(this.#activity.isWithinLimit && isParsed && !isLeaving);
    this.#notifyWatchers();
  }

  #notifyWatchers(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #isMain(frameId: string): boolean {
    return frameId === this.#mainFrameId;
  }

  #startLoading(): void {
    this.#isLoading = true;
    this.#hasStoppedEarly = false;
  }

  #commit(frame: Protocol.Page.Frame): void {
    this.#activity?.dropPreviousDocument(frame);
    if (!this.#isMain(frame.id)) return;
    this.#loaderId = frame.loaderId;
    this.#documentUrl = frame.url;
    this.#reached.clear();
    this.#hasStoppedEarly = false;
    this.#isNavigating = false;
    this.#isScheduled = false;
    this.#navigations += 1;
    this.#failedUrl = frame.unreachableUrl ?? null;
  }

  #isNavigatingAway(): boolean {
    return (this.#isScheduled || this.#isNavigating) && this.followsNavigations;
  }
}

const WITHIN_DOCUMENT = new Set<string>(["sameDocument", "historySameDocument"]);

interface FollowedEvents {
  "Page.domContentEventFired": Protocol.Page.DomContentEventFiredEvent;
  "Page.loadEventFired": Protocol.Page.LoadEventFiredEvent;
  "Page.frameStartedLoading": Protocol.Page.FrameStartedLoadingEvent;
  "Page.frameDetached": Protocol.Page.FrameDetachedEvent;
  // deprecated in the protocol, but no other event reports the delay
  "Page.frameScheduledNavigation": { frameId: string; delay: number };
  "Page.frameClearedScheduledNavigation": { frameId: string };
  "Page.frameStartedNavigating": Protocol.Page.FrameStartedNavigatingEvent;
  "Page.frameStoppedLoading": Protocol.Page.FrameStoppedLoadingEvent;
  "Page.frameNavigated": Protocol.Page.FrameNavigatedEvent;
  "Network.requestWillBeSent": Protocol.Network.RequestWillBeSentEvent;
  "Network.responseReceived": Protocol.Network.ResponseReceivedEvent;
  "Network.dataReceived": Protocol.Network.DataReceivedEvent;
  "Network.loadingFinished": Protocol.Network.LoadingFinishedEvent;
  "Network.loadingFailed": Protocol.Network.LoadingFailedEvent;
  "Network.webSocketCreated": Protocol.Network.WebSocketCreatedEvent;
  "Network.webSocketHandshakeResponseReceived": Protocol.Network.WebSocketHandshakeResponseReceivedEvent;
  "Network.webSocketClosed": Protocol.Network.WebSocketClosedEvent;
  // targetId is deprecated in the protocol, but nothing else identifies the session's frame
  "Target.detachedFromTarget": { sessionId: string; targetId?: string };
}
