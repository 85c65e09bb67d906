import type { CDPSession } from "puppeteer";
import type { Target } from "../../targets/target.ts";
import type { RequestRule } from "../page/intercept-requests.ts";
import type { EgressFailure } from "./egress-session.ts";

/** Checks the requests of a page's CDP sessions. */
export interface EgressGuard {
  readonly rule: RequestRule;
  /**
   * Also checks each URL that the session's main frame navigates to, because prefetched and prerendered pages load
   * without reporting a request.
   */
  readonly watch: (session: CDPSession) => void;
}

/** Decides which of a page's connections to block, according to the render's parameters. */
export interface HostBlocker {
  blocks(target: Target): Promise<boolean>;
  /** Called once for each blocked request. */
  onBlocked(): void;
}

/** The egress of one browser context. */
export interface PageEgress {
  /** The context's proxy; `null` if the browser connects directly. */
  readonly proxyServer: string | null;
  /** Checks requests before they are sent; `null` if the proxy checks them. */
  readonly guard: EgressGuard | null;
  /** Blocks connections from now on; `null` if the browser connects directly. */
  readonly blockHosts: ((blocker: HostBlocker) => void) | null;
  /** Returns why a connection to the host and port of this URL last failed; `null` if none has failed. */
  failure(url: string): EgressFailure | null;
  /** Returns details of the failure that `failure()` returns, for the log; `null` if there are none. */
  failureDetail(url: string): string | null;
  /** Returns the first blocked URL that a main frame loaded; `null` if there is none. */
  blockedDocument(): Promise<string | null>;
  /** Aborts when the page exceeds its byte limit. */
  readonly overflow: AbortSignal;
  close(): Promise<void>;
}
