import type { CDPSession } from "puppeteer";
import type { EgressRefusal } from "./egress-session.ts";

/** The way out of one browser context. */
export interface PageEgress {
  /** The proxy that the context goes through; `null` where it goes out from where the browser is. */
  readonly proxyServer: string | null;
  /** Judges what a session asks for, before it is sent; `null` where the proxy does. */
  readonly guard: ((session: CDPSession) => Promise<void>) | null;
  /** The latest refusal for the host and port of this URL, if the lane refused it. */
  refusal(url: string): EgressRefusal | null;
  /** The address of a document that the page has shown though it is refused; `null` if there is none. */
  refusedDocument(): Promise<string | null>;
  /** Aborts once the lane's byte cap is exceeded. */
  readonly overflow: AbortSignal;
  close(): Promise<void>;
}
