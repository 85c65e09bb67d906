import type { CDPSession, Connection } from "puppeteer";

/** A browser to render in, and the connection to it; ours, or one that runs elsewhere. */
export interface ConnectedBrowser {
  readonly connection: Connection;
  /** Whether new pages are held until they are let go. */
  readonly holdsPages: boolean;
  /** Aborts when the browser is no more to us, whoever ended it. */
  readonly gone: AbortSignal;
  /** Makes a page and attaches to it. */
  makePage(request: PageRequest): Promise<MadePage>;
  /**
   * Calls `follow` with a session for each shared worker of the context, which is held until it is let go,
   * and what `follow` returns when the worker ends. The function returned stops that. Never calls `follow`
   * where pages aren't held.
   */
  onSharedWorker(browserContextId: string, follow: (session: CDPSession) => () => void): () => void;
  /** Ends it, as far as it is ours to end; resolves when nothing of ours is left. */
  kill(): Promise<void>;
}

export interface PageRequest {
  readonly url: string;
  readonly browserContextId: string;
  /** Calls the wait off. */
  readonly signal: AbortSignal;
}

/** The target's id is that of the main frame, too. */
export interface MadePage {
  readonly session: CDPSession;
  readonly targetId: string;
}
