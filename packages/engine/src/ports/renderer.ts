import type { SnapParameters } from "@snap/protocol";
import type { FilterListPurpose } from "../filter-lists/purposes.ts";
import type { TargetPolicy } from "../targets/policy.ts";
import type { DocumentFile } from "./documents.ts";

/** The note of a rendering whose wait reached its cap because the page did not become idle. */
export const WAIT_CAPPED = "wait-capped";
/** The note of a rendering whose `click` matched no element. */
export const CLICK_UNMATCHED = "click-unmatched";
/** The note of a rendering whose page did not load everything outside the viewport in time. */
export const LAZY_CAPPED = "lazy-capped";
/** The note of a rendering whose page did not settle for `stabilize`. */
export const UNSTABLE = "unstable";
/** The note of a full page that `fullPageMaxHeight` cuts. */
export const HEIGHT_CAPPED = "height-capped";
/** The note of a rendering with text that no font shows. */
export const GLYPHS_MISSING = "glyphs-missing";
/** The note of a picture that shows nothing. */
export const BLANK = "blank";
/** The note of a failed render whose file or picture exceeds a limit. */
export const CAPTURE_TOO_LARGE = "capture-too-large";
/** The note of a failed render whose `pageRanges` starts after the last page. */
export const PAGES_UNMATCHED = "pages-unmatched";
/** The note of a failed render whose `selector` matches no element. */
export const SELECTOR_UNMATCHED = "selector-unmatched";

/** The result of a render: the file and its metadata. */
export interface RenderedFile {
  readonly bytes: Uint8Array;
  readonly contentType: "image/png" | "image/jpeg" | "image/webp" | "application/pdf";
  /** HTTP status of the page; `null` for PDFs or if unknown. */
  readonly targetStatus: number | null;
  /** Remarks for the caller, such as `wait-capped`. */
  readonly notes: readonly string[];
}

/** The state of a renderer, for readiness and for the operator. */
export interface RendererHealth {
  readonly ready: boolean;
  /** Why it is not ready; `null` if it is. */
  readonly reason: string | null;
  /** Memory of the processes that it has started; absent if it has none, or does not know. */
  readonly memoryBytes?: number;
}

/** The files that a renderer serves to the page of a document. */
export interface ServedDocument {
  /** URL of the document, which the page has. */
  readonly url: string;
  /** Returns `null` if there is no such file. */
  readFile(path: string): Promise<DocumentFile | null>;
}

/** How to isolate a render from others, and what it is called. */
export interface RenderOptions {
  /**
   * Renders with the same key may share an isolated browser, to which the renderer moves those that may harm others. By
   * default, every render has its own key.
   */
  readonly isolationKey?: string;
  /** Whether to use an isolated browser from the start; `false` by default. */
  readonly isIsolated?: boolean;
  /** The id under which the caller logs the render, for the renderer's events. */
  readonly requestId?: string | undefined;
  /** The document to serve, if the `url` of the page is that of a document. */
  readonly document?: ServedDocument | undefined;
}

/**
 * Renders a page to a file. The scheduler limits the number of concurrent renders; a renderer only isolates them from
 * each other.
 *
 * `render` throws a `SnapError` with one of `blocked_host`, `target_unreachable`, `render_failed`,
 * `render_timeout`, `upstream_error`, `upstream_rate_limited` or `upstream_quota_exceeded`, or with `validation_failed` if
 * the browser rejects a cookie. Its `pageEnded` says that the page would have harmed other renders: it was ended, or
 * it ended an isolated browser.
 */
export interface Renderer {
  /** The policy of the renderer, if it has one; the default policy of the engine. */
  readonly targets?: TargetPolicy | undefined;
  /** What it has filter lists for, which `blockAds` and `blockTrackers` need; nothing by default. */
  readonly filterLists?: readonly FilterListPurpose[] | undefined;
  render(parameters: SnapParameters, options?: RenderOptions): Promise<RenderedFile>;
  health(): Promise<RendererHealth>;
  /** Aborts running renders and ends every process. */
  close(): Promise<void>;
}
