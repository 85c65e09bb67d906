/** What the operator may want to log or count. */
export type RendererEvent =
  | { readonly type: "browser-started"; readonly pid: number }
  | { readonly type: "browser-start-failed"; readonly reason: string; readonly retryInMs: number }
  | { readonly type: "browser-ended"; readonly pid: number; readonly reason: string }
  | { readonly type: "browser-unresponsive"; readonly pid: number }
  | { readonly type: "browser-recycled"; readonly pid: number; readonly reason: RecycleReason }
  | { readonly type: "page-ended"; readonly pid: number; readonly reason: "busy" }
  | {
      readonly type: "page-ended";
      readonly pid: number;
      readonly reason: "memory";
      readonly memoryBytes: number;
    }
  | { readonly type: "render-retried"; readonly reason: string }
  | RemoteBrowserEvent;

/** What happens to a browser that runs elsewhere. `endpoint` is its scheme, host and port, and holds no secret. */
export type RemoteBrowserEvent =
  | {
      readonly type: "remote-browser-connected";
      readonly endpoint: string;
      /** As it calls itself, such as `HeadlessChrome/156.0.0.0`. */
      readonly version: string;
      readonly egress: BrowserEgress;
      /** What does not hold of the containment that a browser of our own has, a sentence each. */
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
 * How the pages of a browser elsewhere reach the web: through our egress proxy, or directly from where the
 * browser is, whose network then is what contains them.
 */
export type BrowserEgress = "proxy" | "direct";

export type RecycleReason = "renders" | "age" | "memory";
