import type { WaitEvent } from "@snap/protocol";
import type { CDPSession, Protocol } from "puppeteer";
import { unless } from "../../timeouts.ts";
import { NetworkActivity, type NetworkActivityOptions } from "./network-activity.ts";

/** The protocol's name for the end of parsing. */
const PARSED = "DOMContentLoaded";

/** A refresh that comes this soon belongs to the way to the page; a later one is the page's own life. */
const SOON_SECONDS = 1;
/** As many as Chromium follows redirects; a page that goes on navigating isn't followed further. */
const NAVIGATIONS_FOLLOWED_MAX = 20;

interface Frame {
  loaderId: string;
  isLoading: boolean;
  hasStopped: boolean;
  /** On its way to another document. */
  isNavigating: boolean;
  readonly reached: Set<string>;
}

/**
 * How far a page has come: the documents of its frames, and where its main frame is heading.
 * It is told by the browser, never by the page.
 */
export class PageProgress {
  readonly #mainFrameId: string;
  readonly #frames = new Map<string, Frame>();
  readonly #watchers = new Set<() => void>();
  #navigations = 0;
  /** A navigation of the main frame that is announced but has not begun. */
  #scheduled = false;
  #failedUrl: string | null = null;
  #activity: NetworkActivity | null = null;

  /** @param mainFrameId - It stays the same through navigations. */
  constructor(mainFrameId: string) {
    this.#mainFrameId = mainFrameId;
  }

  /** The address that could not be loaded, when the main frame shows the browser's error page. */
  get failedUrl(): string | null {
    return this.#failedUrl;
  }

  /** Another one for each document that the main frame shows. */
  get documentId(): string {
    return this.#frame(this.#mainFrameId).loaderId;
  }

  /** Whether the main frame has come to a first document, or stopped on its way there. */
  get hasCommittedOrStopped(): boolean {
    return this.#navigations > 0 || this.#frame(this.#mainFrameId).hasStopped;
  }

  /** Whether it shows a document that was navigated to, and not the browser's error page. */
  get hasDocument(): boolean {
    return this.#navigations > 0 && this.#failedUrl === null;
  }

  /** Whether the page's own navigations still count as the way to it. */
  get followsNavigations(): boolean {
    return this.#navigations <= NAVIGATIONS_FOLLOWED_MAX;
  }

  /** The page's connections; `null` unless they are counted, which only waits for an idle network need. */
  get activity(): NetworkActivity | null {
    return this.#activity;
  }

  /** From now on the sessions that are followed must report their requests. */
  countConnections(options: Pick<NetworkActivityOptions, "connectionsMax" | "countsWorkers">): void {
    this.#activity = new NetworkActivity({ ...options, onIdle: () => this.#changed() });
  }

  /** Whether the document shown has got that far and is not about to be left. */
  hasReached(event: WaitEvent): boolean {
    if (this.#isNavigatingAway()) return false;
    const main = this.#frame(this.#mainFrameId);
    if (event === "domcontentloaded") return main.reached.has(PARSED);
    // a refresh is announced after `load` and before the frame stops loading
    if (event === "load") return main.reached.has("load") && !main.isLoading;
    return this.#activity?.isIdle ?? false;
  }

  /** Resolves once `condition` holds; it is looked at whenever something happened on the page. */
  async until(signal: AbortSignal, condition: () => boolean): Promise<void> {
    let watcher = (): void => {};
    const held = new Promise<void>((resolve) => {
      watcher = () => {
        if (condition()) resolve();
      };
    });
    this.#watchers.add(watcher);
    watcher();
    try {
      await unless(signal, held);
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  /**
   * Listens to a session: the page's own, that of a frame in another process, or that of a worker.
   *
   * @param ownFrameId - The frame that the session is for, above all others in it; `null` for a worker.
   */
  follow(session: CDPSession, ownFrameId: string | null): void {
    const on = <E extends keyof Followed>(event: E, take: (facts: Followed[E]) => void): void => {
      session.on(event, (facts: Followed[E]) => {
        take(facts);
        this.#update();
      });
    };
    on("Page.lifecycleEvent", (facts) => this.#recordLifecycleEvent(facts));
    on("Page.frameNavigated", ({ frame }) => {
      this.#commit(frame);
      if (frame.id === ownFrameId) this.#activity?.dropSessionDocuments(session.id(), frame);
    });
    on("Page.frameDetached", ({ frameId, reason }) => {
      if (reason !== "remove") return;
      this.#frames.delete(frameId);
      this.#activity?.dropFrame(frameId);
    });
    on("Page.frameStartedLoading", ({ frameId }) => {
      this.#frame(frameId).isLoading = true;
    });
    on("Page.frameStoppedLoading", ({ frameId }) => {
      Object.assign(this.#frame(frameId), { isLoading: false, hasStopped: true, isNavigating: false });
    });
    on("Page.frameScheduledNavigation", ({ frameId, delay }) => {
      if (this.#isMain(frameId) && delay <= SOON_SECONDS) this.#scheduled = true;
    });
    on("Page.frameClearedScheduledNavigation", ({ frameId }) => {
      if (this.#isMain(frameId)) this.#scheduled = false;
    });
    on("Page.frameStartedNavigating", ({ frameId, navigationType }) => {
      if (WITHIN_DOCUMENT.has(navigationType)) return;
      // of a page that was made for its address, nothing else tells that it is loading
      Object.assign(this.#frame(frameId), { isLoading: true, isNavigating: true });
    });
    on("Network.requestWillBeSent", (sent) => this.#activity?.begin(session.id(), sent));
    on("Network.responseReceived", (received) => this.#activity?.respond(session.id(), received));
    on("Network.dataReceived", (received) => this.#activity?.receive(received));
    on("Network.loadingFinished", (finished) => this.#activity?.end(finished));
    on("Network.loadingFailed", (failed) => this.#activity?.end(failed));
    on("Network.webSocketCreated", ({ requestId }) =>
      this.#activity?.beginWebSocket(session.id(), requestId),
    );
    on("Network.webSocketHandshakeResponseReceived", (opened) => this.#activity?.end(opened));
    on("Network.webSocketClosed", (closed) => this.#activity?.end(closed));
    on("Target.detachedFromTarget", ({ sessionId, targetId }) =>
      this.#activity?.dropSession(sessionId, targetId),
    );
  }

  /** Of a worker whose end none of the sessions that are followed reports. */
  leave(sessionId: string): void {
    this.#activity?.dropSession(sessionId);
    this.#update();
  }

  #update(): void {
    const { reached, isNavigating } = this.#frame(this.#mainFrameId);
    // a navigation that is only scheduled may stay within the document and asks for nothing yet
    const isLeaving = isNavigating && this.followsNavigations;
    this.#activity?.update(this.#activity.isWithinLimit && reached.has(PARSED) && !isLeaving);
    this.#changed();
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #isMain(frameId: string): boolean {
    return frameId === this.#mainFrameId;
  }

  #frame(frameId: string): Frame {
    const known = this.#frames.get(frameId);
    if (known) return known;
    const frame = {
      loaderId: "",
      isLoading: false,
      hasStopped: false,
      isNavigating: false,
      reached: new Set<string>(),
    };
    this.#frames.set(frameId, frame);
    return frame;
  }

  #recordLifecycleEvent({ frameId, loaderId, name }: Protocol.Page.LifecycleEventEvent): void {
    const frame = this.#frame(frameId);
    if (frame.loaderId !== loaderId) {
      frame.loaderId = loaderId;
      frame.reached.clear();
    }
    frame.reached.add(name);
  }

  #commit(frame: Protocol.Page.Frame): void {
    this.#frame(frame.id).isNavigating = false;
    this.#activity?.dropDocument(frame);
    if (!this.#isMain(frame.id)) return;
    this.#scheduled = false;
    this.#navigations += 1;
    this.#failedUrl = frame.unreachableUrl ?? null;
    for (const frameId of this.#frames.keys()) if (!this.#isMain(frameId)) this.#frames.delete(frameId);
  }

  #isNavigatingAway(): boolean {
    const { isNavigating } = this.#frame(this.#mainFrameId);
    return (this.#scheduled || isNavigating) && this.followsNavigations;
  }
}

const WITHIN_DOCUMENT = new Set<string>(["sameDocument", "historySameDocument"]);

interface Followed {
  "Page.lifecycleEvent": Protocol.Page.LifecycleEventEvent;
  "Page.frameStartedLoading": Protocol.Page.FrameStartedLoadingEvent;
  "Page.frameDetached": Protocol.Page.FrameDetachedEvent;
  // deprecated in the protocol, but no other event tells of the delay
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
  // the target is deprecated in the protocol, but nothing else tells which frame the session was for
  "Target.detachedFromTarget": { sessionId: string; targetId?: string };
}
