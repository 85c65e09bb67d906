import type { SnapParameters } from "@snap/protocol";
import type { FilterListPurpose } from "../filter-lists/purposes.ts";
import type { TargetPolicy } from "../targets/policy.ts";
import type { DocumentFile } from "./documents.ts";

/* Most notes on a rendering; `RENDER_NOTES` in `@snap/protocol` lists all, with their meanings. */

export const WAIT_CAPPED = "wait-capped";
export const CLICK_UNMATCHED = "click-unmatched";
export const LAZY_CAPPED = "lazy-capped";
export const UNSTABLE = "unstable";
export const HEIGHT_CAPPED = "height-capped";
export const GLYPHS_MISSING = "glyphs-missing";
/** Checked only in screenshots that are captured as PNG, and only if parameters change what the page shows. */
export const BLANK = "blank";
export const CAPTURE_TOO_LARGE = "capture-too-large";
export const PAGES_UNMATCHED = "pages-unmatched";
export const SELECTOR_UNMATCHED = "selector-unmatched";

/** Facts about the rendered page. */
export interface PageFacts {
  /** Its title, at most 500 characters; `null` if it has none. */
  readonly title: string | null;
  /**
   * Its URL after redirects, without user name and password, at most 2,048 characters; `null` if it is
   * longer, unknown, or neither `http` nor `https`.
   */
  readonly finalUrl: string | null;
  /** Number of pages of a PDF; `null` for an image, or if unknown. */
  readonly pages: number | null;
}

/** The content types of renderings. */
export const CONTENT_TYPES = [
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/avif",
  "application/pdf",
] as const;

/** The result of a render: the file and its metadata. */
export interface RenderedFile {
  /** In a capture, shared with the cache: copy them before you change or transfer them. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: (typeof CONTENT_TYPES)[number];
  /** HTTP status of the page; `null` for PDFs or if unknown. */
  readonly targetStatus: number | null;
  /** Remarks for the caller, such as `wait-capped`. */
  readonly notes: readonly string[];
  /** Absent if unknown, as for renderings cached by an older release. */
  readonly page?: PageFacts | undefined;
}

/** A renderer's state, for readiness checks and the operator. */
export interface RendererHealth {
  readonly ready: boolean;
  /** Why it is not ready; `null` if it is. */
  readonly reason: string | null;
  /**
   * Memory of the processes that it has started, 0 on systems without /proc; absent if it starts
   * none.
   */
  readonly memoryBytes?: number;
}

/** The files that a renderer serves to a document's page. */
export interface ServedDocument {
  /** The document's URL, which is also the page's. */
  readonly url: string;
  /**
   * Returns `null` if there is no such file. Preparing the files can be slow, so `signal` should abort when the render
   * ends.
   *
   * @throws SnapError with which the render must fail, because the page would lack the file.
   */
  readFile(path: string, signal?: AbortSignal): Promise<DocumentFile | null>;
}

/** How to isolate and identify a render. */
export interface RenderOptions {
  /**
   * Renders with the same key can share an isolated browser, to which the renderer moves renders that might harm
   * others. By default, every render has its own key.
   */
  readonly isolationKey?: string;
  /** Whether to use an isolated browser from the start; `false` by default. */
  readonly isIsolated?: boolean;
  /** The id under which the caller logs the render, for the renderer's events. */
  readonly requestId?: string | undefined;
  /** The document to serve, if the page's `url` is a document's. */
  readonly document?: ServedDocument | undefined;
}

/**
 * Renders a page to a file. The scheduler limits the number of concurrent renders; a renderer only isolates them from
 * each other.
 *
 * `render` throws a `SnapError` with one of `blocked_host`, `target_unreachable`, `render_failed`,
 * `script_failed`, `render_timeout`, `upstream_error`, `upstream_rate_limited` or `upstream_quota_exceeded`,
 * or with `validation_failed` if the browser rejects a cookie or a parameter requires something that is not
 * installed. The error's `pageEnded` is `true` if the page would have harmed other renders: it was ended, or
 * it killed an isolated browser. An error of the document's `readFile` is rethrown unchanged.
 */
export interface Renderer {
  /** The renderer's policy, if it has one; the engine uses it by default. */
  readonly targets?: TargetPolicy | undefined;
  /** The purposes that it has filter lists for, which `blockAds` and `blockTrackers` need. None by default. */
  readonly filterLists?: readonly FilterListPurpose[] | undefined;
  /** Whether it can resize images and encode AVIF, which `output` and `resize*` need. `false` by default. */
  readonly processesImages?: boolean | undefined;
  /** Its time limit for a render; the engine assumes 45,000 ms if it is absent. */
  readonly renderTimeoutMs?: number | undefined;
  render(parameters: SnapParameters, options?: RenderOptions): Promise<RenderedFile>;
  health(): Promise<RendererHealth>;
  /** Aborts running renders and stops the browsers that it has started. */
  close(): Promise<void>;
}
