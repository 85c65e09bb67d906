import type { CDPSession } from "puppeteer";
import type { Target } from "../../targets/target.ts";
import type { RequestRule } from "../page/intercept-requests.ts";
import type { EgressFailure } from "./egress-session.ts";

/** Checks the requests of a page's sessions. */
export interface EgressGuard {
  readonly rule: RequestRule;
  /** Watches a session's documents. */
  readonly watch: (session: CDPSession) => void;
}

/** Decides which of a page's connections its parameters block. */
export interface HostBlocks {
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
  readonly blockHosts: ((blocks: HostBlocks) => void) | null;
  /** Returns why the last connection to the host and port of this URL failed; `null` if none failed. */
  failure(url: string): EgressFailure | null;
  /** Returns the details of that failure, for the log; `null` if unknown. */
  failureDetail(url: string): string | null;
  /** Returns the URL of a blocked document that the page has shown; `null` if there is none. */
  blockedDocument(): Promise<string | null>;
  /** Aborts when the page exceeds its byte limit. */
  readonly overflow: AbortSignal;
  close(): Promise<void>;
}
