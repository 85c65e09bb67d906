import type { CDPSession } from "puppeteer";
import type { EgressRefusal } from "./egress-session.ts";

/** The egress of one browser context. */
export interface PageEgress {
  /** The proxy of the context; `null` if the browser connects directly. */
  readonly proxyServer: string | null;
  /** Checks the requests of a session before they are sent; `null` if the proxy checks them. */
  readonly guard: ((session: CDPSession) => Promise<void>) | null;
  /** Returns the latest refusal for the host and port of this URL; `null` if it was not refused. */
  refusal(url: string): EgressRefusal | null;
  /** Returns why the host and port of this URL could not be reached, for the log; `null` if it is not known. */
  refusalDetail(url: string): string | null;
  /** Returns the URL of a blocked document that the page has shown; `null` if there is none. */
  refusedDocument(): Promise<string | null>;
  /** Aborts when the page exceeds its byte limit. */
  readonly overflow: AbortSignal;
  close(): Promise<void>;
}
