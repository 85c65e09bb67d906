import type { PageEndReason } from "./page/page-end.ts";

/** An event to log or count. */
export type RendererEvent =
  | {
      readonly type: "browser-started";
      readonly pid: number;
      /** Product and version that it reports, such as `HeadlessChrome/156.0.0.0`. */
      readonly version: string;
    }
  | { readonly type: "browser-start-failed"; readonly reason: string; readonly retryInMs: number }
  | { readonly type: "browser-ended"; readonly pid: number; readonly reason: string }
  | { readonly type: "browser-unresponsive"; readonly pid: number }
  | { readonly type: "browser-recycled"; readonly pid: number; readonly reason: RecycleReason }
  | {
      readonly type: "page-ended";
      readonly reason: PageEndReason;
      /** What the page did, in numbers. */
      readonly detail: string;
      /** As passed to `render`. */
      readonly requestId: string | undefined;
    }
  | {
      readonly type: "render-retried";
      readonly reason: string;
      /** As passed to `render`. */
      readonly requestId: string | undefined;
    }
  | {
      /** Regular expressions of filter lists are not used, because they may take exponential time. */
      readonly type: "filters-skipped";
      readonly count: number;
      /** At most 10 of them. */
      readonly filters: readonly string[];
    }
  | {
      /** A page made URLs for which filter lists take so long that they block no more of its requests. */
      readonly type: "filters-too-slow";
      /** As passed to `render`. */
      readonly requestId: string | undefined;
    }
  | RemoteBrowserEvent;

/** An event of a remote browser. `endpoint` is its scheme, host and port, without secrets. */
export type RemoteBrowserEvent =
  | {
      readonly type: "remote-browser-connected";
      readonly endpoint: string;
      /** Product and version that it reports, such as `HeadlessChrome/156.0.0.0`. */
      readonly version: string;
      readonly egress: BrowserEgress;
      /** What it lacks of the containment of a local browser, a phrase each. */
      readonly gaps: readonly string[];
    }
  | {
      readonly type: "remote-browser-refused";
      readonly endpoint: string;
      readonly reason: string;
      readonly retryInMs: number;
    }
  | { readonly type: "remote-browser-ended"; readonly endpoint: string; readonly reason: string }
  | { readonly type: "remote-browser-unresponsive"; readonly endpoint: string };

/**
 * How the pages of a remote browser reach the web: through the renderer's egress proxy, or directly from the browser's
 * network, which must then contain them.
 */
export type BrowserEgress = "proxy" | "direct";

export type RecycleReason = "renders" | "age" | "memory";
