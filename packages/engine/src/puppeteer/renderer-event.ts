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
      /**
       * For `memory` and `processor-time`, the page's usage, such as `own: 300 MiB, 20.1 s; shared: 10 MiB,
       * 0.2 s; pid 4711`; for `events`, their number and size; for `flood`, why its browser was killed.
       */
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
      /** Some regular expressions in filter lists are not used because they might take exponential time. */
      readonly type: "filters-skipped";
      readonly count: number;
      /** At most 10 of them. */
      readonly filters: readonly string[];
    }
  | {
      /** A page requested URLs that took so long to match that the filter lists stopped blocking its requests. */
      readonly type: "filters-too-slow";
      /** As passed to `render`. */
      readonly requestId: string | undefined;
    }
  | RemoteBrowserEvent;

/** A remote browser's event. `endpoint` is its scheme, host and port, without secrets. */
export type RemoteBrowserEvent =
  | {
      readonly type: "remote-browser-connected";
      readonly endpoint: string;
      /** Product and version that it reports, such as `HeadlessChrome/156.0.0.0`. */
      readonly version: string;
      readonly egress: BrowserEgress;
      /** How its containment is weaker than a local browser's: a phrase for each gap. */
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
 * How a remote browser's pages reach the web: through the renderer's egress proxy, or directly from the browser's
 * network, which must then itself keep them from reaching private hosts.
 */
export type BrowserEgress = "proxy" | "direct";

export type RecycleReason = "renders" | "age" | "memory";
