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

/** A refresh that comes this soon belongs to the way to the page; a later one is the page's own life. */
const SOON_SECONDS = 1;
/** As many as Chromium follows redirects; a page that goes on navigating isn't followed further. */
const NAVIGATIONS_FOLLOWED_MAX = 20;

interface Frame {
  loaderId: string;
  /** A frame that was never sent anywhere stays silent, and is no reason to wait. */
  hasStarted: boolean;
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
  #loading = false;
  /** A navigation was announced, or is under way, that the main frame has not arrived at. */
  #scheduled = false;
  #underWay = false;
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

  /** Whether the document shown has got that far and is not about to be left. */
  hasReached(event: WaitEvent): boolean {
    if (this.#isAboutToLeave()) return false;
    const name = LIFECYCLE_NAMES[event];
    const main = this.#frame(this.#mainFrameId);
    if (event === "domcontentloaded") return main.reached.has(name);
    // a refresh is announced after `load` and before the frame stops loading
    if (event === "load") return main.reached.has(name) && !this.#loading;
    return [...this.#frames.values()].every((frame) => !frame.hasStarted || frame.reached.has(name));
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
      this.#frame(frameId).hasStarted = true;
      if (this.#isMain(frameId)) this.#loading = true;
    });
    on("Page.frameStoppedLoading", ({ frameId }) => {
      if (this.#isMain(frameId)) this.#loading = this.#underWay = false;
    });
    on("Page.frameScheduledNavigation", ({ frameId, delay }) => {
      if (this.#isMain(frameId) && delay <= SOON_SECONDS) this.#scheduled = true;
    });
    on("Page.frameClearedScheduledNavigation", ({ frameId }) => {
      if (this.#isMain(frameId)) this.#scheduled = false;
    });
    on("Page.frameStartedNavigating", ({ frameId, navigationType }) => {
      if (this.#isMain(frameId) && !WITHIN_DOCUMENT.has(navigationType)) this.#underWay = true;
    });
  }

  #isMain(frameId: string): boolean {
    return frameId === this.#mainFrameId;
  }

  #frame(frameId: string): Frame {
    const known = this.#frames.get(frameId);
    if (known) return known;
    const frame = { loaderId: "", hasStarted: false, reached: new Set<string>() };
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
    if (!this.#isMain(frame.id)) return;
    this.#scheduled = this.#underWay = false;
    this.#navigations += 1;
    this.#failedUrl = frame.unreachableUrl ?? null;
    for (const frameId of this.#frames.keys()) if (!this.#isMain(frameId)) this.#frames.delete(frameId);
  }

  #isAboutToLeave(): boolean {
    return (this.#scheduled || this.#underWay) && this.#navigations <= NAVIGATIONS_FOLLOWED_MAX;
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
