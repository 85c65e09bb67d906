import type { ImageFormat, LengthUnit, PaperFormat, WaitEvent } from "./choices.ts";

/*
 * What the caller of a rendering writes. A combination that the service refuses doesn't compile; a
 * member of type `undefined` is one that the rest of its alternative rules out. `undefined` is the
 * same as leaving the member out. In each union the plainest alternative comes last: it is the one that
 * the compiler compares with when none fits.
 */

type NotSent<Names extends string> = { readonly [Name in Names]?: undefined };

interface Page {
  /**
   * Address of the page to render: `http://` or `https://`, at most 2048 characters, without a user
   * name or password, on a publicly reachable host.
   */
  readonly url: string;
}

interface CacheUse {
  /**
   * Whether an identical repeat may be answered from the cache, and this rendering is kept. `false`
   * renders again and keeps nothing.
   * @default true
   */
  readonly cache?: boolean | undefined;
}

interface CacheLifetime {
  readonly cache?: true | undefined;
  /**
   * Seconds for which the rendering is kept: 60 to 2592000 (thirty days). Not with `cache: false`.
   * @default 86400
   */
  readonly cacheTtl?: number | undefined;
}

type Caching = CacheLifetime | (CacheUse & NotSent<"cacheTtl">);

interface ScreenshotBasics extends Page {
  /** `false`, or left out: a screenshot. */
  readonly pdf?: false | undefined;
  /**
   * Device scale factor: a whole number, 1 to 3.
   * @default 1
   */
  readonly scale?: number | undefined;
  /** Milliseconds to wait before the capture: a whole number, 0 to 10000. */
  readonly delay?: number | undefined;
  /**
   * CSS selector; the capture waits until a matching element exists. At most 512 characters, without
   * single quotes, backslashes and control characters: write attribute values with double quotes.
   */
  readonly waitForSelector?: string | undefined;
  /**
   * What to wait for before the capture. `networkidle0`: no network connection for half a second;
   * `networkidle2`: at most two. Left out, it is `networkidle2`, and a page that never gets idle is
   * captured 10 seconds after `load`; sent, it is strict and such a page ends in `render_timeout`.
   * @default "networkidle2"
   */
  readonly waitUntil?: WaitEvent | undefined;
}

interface Viewport {
  /** Viewport width in pixels, 1 to 10000, together with `height`; 1280 unless sent. */
  readonly width: number;
  /** Viewport height in pixels, 1 to 10000, together with `width`; 800 unless sent. */
  readonly height: number;
}

type ClipName = "clipX" | "clipY" | "clipWidth" | "clipHeight";

interface PageArea {
  /**
   * Capture the whole scrollable page. Not with `selector` or a clip region.
   * @default false
   */
  readonly fullPage?: boolean | undefined;
}

interface ElementArea {
  readonly fullPage?: false | undefined;
  /**
   * CSS selector; its first match is captured. At most 512 characters, without single quotes,
   * backslashes and control characters: write attribute values with double quotes. Not with
   * `fullPage` or a clip region.
   */
  readonly selector?: string | undefined;
}

interface ClipArea {
  readonly fullPage?: false | undefined;
  /** Pixels from the left edge: a whole number, 0 to 10000. The four clip members go together. */
  readonly clipX: number;
  /** Pixels from the top edge: a whole number, 0 to 10000. The four clip members go together. */
  readonly clipY: number;
  /** Width in pixels: a whole number, 1 to 10000. The four clip members go together. */
  readonly clipWidth: number;
  /** Height in pixels: a whole number, 1 to 10000. The four clip members go together. */
  readonly clipHeight: number;
}

type CapturedArea =
  | (ClipArea & NotSent<"selector">)
  | (ElementArea & NotSent<ClipName>)
  | (PageArea & NotSent<"selector" | ClipName>);

interface AnyImage {
  /**
   * Format of the image.
   * @default "png"
   */
  readonly format?: ImageFormat | undefined;
  readonly omitBackground?: false | undefined;
}

interface TransparentImage {
  readonly format?: "png" | "webp" | undefined;
  /**
   * Transparent background; the format must hold transparency: png or webp.
   * @default false
   */
  readonly omitBackground?: boolean | undefined;
}

interface LossyImage {
  readonly format: "jpeg" | "webp";
  readonly omitBackground?: false | undefined;
  /** Quality of a lossy image: a whole number, 1 to 100. Only with `format` jpeg or webp. */
  readonly quality?: number | undefined;
}

interface TransparentLossyImage {
  readonly format: "webp";
  readonly omitBackground?: boolean | undefined;
  /** Quality of a lossy image: a whole number, 1 to 100. Only with `format` jpeg or webp. */
  readonly quality?: number | undefined;
}

type Encoding =
  | TransparentLossyImage
  | LossyImage
  | (TransparentImage & NotSent<"quality">)
  | (AnyImage & NotSent<"quality">);

interface PdfBasics extends Page {
  /** `true`: a PDF. */
  readonly pdf?: true | undefined;
  /**
   * Landscape orientation.
   * @default false
   */
  readonly landscape?: boolean | undefined;
  /**
   * Paper size; a `width` and `height` override it.
   * @default "a4"
   */
  readonly paperFormat?: PaperFormat | undefined;
  /**
   * Unit of the margins and of `width` and `height`.
   * @default "mm"
   */
  readonly marginUnit?: LengthUnit | undefined;
  /**
   * Scale of the content: 0.1 to 2, fractions allowed.
   * @default 1
   */
  readonly scale?: number | undefined;
}

interface CustomPaper {
  /** Paper width in `marginUnit`, 1 to 10000, together with `height`; overrides `paperFormat`. */
  readonly width: number;
  /** Paper height in `marginUnit`, 1 to 10000, together with `width`; overrides `paperFormat`. */
  readonly height: number;
}

interface Margins {
  /** Top margin in `marginUnit`, 0 to 1000. The four margins go together. */
  readonly marginTop: number;
  /** Right margin in `marginUnit`, 0 to 1000. The four margins go together. */
  readonly marginRight: number;
  /** Bottom margin in `marginUnit`, 0 to 1000. The four margins go together. */
  readonly marginBottom: number;
  /** Left margin in `marginUnit`, 0 to 1000. The four margins go together. */
  readonly marginLeft: number;
}

type ScreenshotOnly =
  | "fullPage"
  | "format"
  | "quality"
  | "delay"
  | "selector"
  | ClipName
  | "omitBackground"
  | "waitForSelector"
  | "waitUntil";
type PdfOnly = "landscape" | "paperFormat" | "marginUnit" | keyof Margins;

/**
 * Parameters of a screenshot.
 *
 * @example
 * const input: ScreenshotInput = { url: "https://example.com", format: "webp", quality: 80, fullPage: true };
 */
export type ScreenshotInput = ScreenshotBasics &
  Caching &
  CapturedArea &
  Encoding &
  (Viewport | NotSent<keyof Viewport>) &
  NotSent<PdfOnly>;

/**
 * Parameters of a PDF. `pdf: true` may be left out where the mode is known without it.
 *
 * @example
 * const input: PdfInput = { url: "https://example.com", paperFormat: "letter", landscape: true };
 */
export type PdfInput = PdfBasics &
  Caching &
  (CustomPaper | NotSent<keyof CustomPaper>) &
  (Margins | NotSent<keyof Margins>) &
  NotSent<ScreenshotOnly>;

/**
 * Parameters of a rendering where `pdf` tells the mode: an item of a batch, a signed URL.
 *
 * @example
 * const items: RenderInput[] = [
 *   { url: "https://example.com" },
 *   { url: "https://example.com", pdf: true, paperFormat: "a5" },
 * ];
 */
export type RenderInput = ScreenshotInput | (PdfInput & { readonly pdf: true });
