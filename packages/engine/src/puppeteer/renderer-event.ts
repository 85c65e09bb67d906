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
  | { readonly type: "render-retried"; readonly reason: string };

export type RecycleReason = "renders" | "age" | "memory";
