import type { CDPSession, Connection } from "puppeteer";
import type { PageChannel } from "./page-channel.ts";
import type { PageUserAgent } from "./user-agent.ts";

/** A local or remote browser to render in, and the connection to it. */
export interface ConnectedBrowser {
  readonly connection: Connection;
  readonly userAgent: PageUserAgent;
  /** Whether new pages start paused, until `resumeTarget`. */
  readonly pausesNewPages: boolean;
  /** Aborts when the browser exits or the connection closes, for any reason. */
  readonly disconnected: AbortSignal;
  /** Creates a page and attaches to it. */
  createPage(request: CreatePageRequest): Promise<AttachedPage>;
  /**
   * Calls `onOpened` with the id of each page that opens in the context, such as a pop-up. Returns a function that
   * unsubscribes.
   */
  onPageOpened(browserContextId: string, onOpened: (targetId: string) => void): () => void;
  /**
   * Calls `follow` for each shared worker in the context, with its session and the size of the event that reported it.
   * The worker is paused until `resumeTarget`. When it ends, calls the function that `follow` returned. Returns a
   * function that unsubscribes. Reports workers only if `pausesNewPages` is set.
   */
  onSharedWorker(
    browserContextId: string,
    follow: (session: CDPSession, eventBytes: number) => () => void,
  ): () => void;
  /**
   * Kills a local browser or disconnects from a remote one; resolves once a local browser has exited and its
   * profile is removed. A remote browser disposes the contexts by itself.
   */
  kill(): Promise<void>;
}

export interface CreatePageRequest {
  readonly url: string;
  readonly browserContextId: string;
  /** Aborts the wait. */
  readonly signal: AbortSignal;
}

/** The id of the page's DevTools target is also the id of the main frame. */
export interface AttachedPage {
  readonly session: CDPSession;
  readonly targetId: string;
  /** Counts what the page sends. */
  readonly channel: PageChannel;
  /** Resolves when the browser has closed the page. */
  readonly closed: Promise<void>;
}
