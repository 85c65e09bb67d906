import type { CDPSession, Protocol } from "puppeteer";
import type { ScreenshotParameters } from "../parameters/schemas.ts";
import { unless } from "./abort.ts";

export type WaitEvent = NonNullable<ScreenshotParameters["waitUntil"]>;

/** The protocol's names for what the contract calls `waitUntil` (interface.md, GET /snap). */
const LIFECYCLE_NAMES = {
  load: "load",
  domcontentloaded: "DOMContentLoaded",
  networkidle0: "networkIdle",
  networkidle2: "networkAlmostIdle",
} as const satisfies Record<WaitEvent, string>;

/** How many connections still count as idle (interface.md, `waitUntil`). */
const CONNECTIONS_MAX = { networkidle0: 0, networkidle2: 2 } as const;

/** A refresh that comes this soon belongs to the way to the page; a later one is the page's own life. */
const SOON_SECONDS = 1;
/** As many as Chromium follows redirects; a page that goes on navigating isn't followed further. */
const NAVIGATIONS_FOLLOWED_MAX = 20;

interface Frame {
  loaderId: string;
  /** A frame that was never sent anywhere is no reason to wait. */
  hasStarted: boolean;
  isLoading: boolean;
  hasStopped: boolean;
  /** On its way to another document: a connection that the document it still shows, idle, knows nothing of. */
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
  get hasLanded(): boolean {
    return this.#navigations > 0 || this.#frame(this.#mainFrameId).hasStopped;
  }

  /** Whether it shows a document that was navigated to, and not the browser's error page. */
  get hasDocument(): boolean {
    return this.#navigations > 0 && this.#failedUrl === null;
  }

  /** Whether the page's own navigations still count as the way to it. */
  get isFollowed(): boolean {
    return this.#navigations <= NAVIGATIONS_FOLLOWED_MAX;
  }

  /** Whether the document shown has got that far and is not about to be left. */
  hasReached(event: WaitEvent): boolean {
    if (this.#isAboutToLeave()) return false;
    const name = LIFECYCLE_NAMES[event];
    const main = this.#frame(this.#mainFrameId);
    if (event === "domcontentloaded") return main.reached.has(name);
    // a refresh is announced after `load` and before the frame stops loading
    if (event === "load") return main.reached.has(name) && !main.isLoading;
    const frames = [...this.#frames.values()].filter((frame) => frame.hasStarted);
    const navigating = frames.filter((frame) => frame.isNavigating).length;
    return navigating <= CONNECTIONS_MAX[event] && frames.every((frame) => frame.reached.has(name));
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

  /** Listens to a session: the page's own, or that of frames in another process. */
  follow(session: CDPSession): void {
    const on = <E extends keyof Followed>(event: E, take: (facts: Followed[E]) => void): void => {
      session.on(event, (facts: Followed[E]) => {
        take(facts);
        for (const watcher of this.#watchers) watcher();
      });
    };
    on("Page.lifecycleEvent", (facts) => this.#reach(facts));
    on("Page.frameNavigated", ({ frame }) => this.#arrive(frame));
    on("Page.frameDetached", ({ frameId, reason }) => {
      if (reason === "remove") this.#frames.delete(frameId);
    });
    on("Page.frameStartedLoading", ({ frameId }) => {
      Object.assign(this.#frame(frameId), { hasStarted: true, isLoading: true });
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
      Object.assign(this.#frame(frameId), { hasStarted: true, isLoading: true, isNavigating: true });
    });
  }

  #isMain(frameId: string): boolean {
    return frameId === this.#mainFrameId;
  }

  #frame(frameId: string): Frame {
    const known = this.#frames.get(frameId);
    if (known) return known;
    const frame = {
      loaderId: "",
      hasStarted: false,
      isLoading: false,
      hasStopped: false,
      isNavigating: false,
      reached: new Set<string>(),
    };
    this.#frames.set(frameId, frame);
    return frame;
  }

  #reach({ frameId, loaderId, name }: Protocol.Page.LifecycleEventEvent): void {
    const frame = this.#frame(frameId);
    if (frame.loaderId !== loaderId) {
      frame.loaderId = loaderId;
      frame.reached.clear();
    }
    frame.reached.add(name);
  }

  #arrive(frame: Protocol.Page.Frame): void {
    this.#frame(frame.id).isNavigating = false;
    if (!this.#isMain(frame.id)) return;
    this.#scheduled = false;
    this.#navigations += 1;
    this.#failedUrl = frame.unreachableUrl ?? null;
    for (const frameId of this.#frames.keys()) if (!this.#isMain(frameId)) this.#frames.delete(frameId);
  }

  #isAboutToLeave(): boolean {
    const { isNavigating } = this.#frame(this.#mainFrameId);
    return (this.#scheduled || isNavigating) && this.isFollowed;
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
}
