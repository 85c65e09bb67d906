// Generated from table.ts by packages/workshop/src/docs/generate.ts: change the table, then run `pnpm site reference`.

/** Values of the parameters of a screenshot, each by itself: what may be combined is in types.ts. */
export interface ScreenshotValues {
  /**
   * Address of the page to render; a publicly reachable host. Private, loopback and internal addresses
   * are refused.
   */
  readonly url: string;
  /** `true` renders a PDF instead of an image. */
  readonly pdf?: false | undefined;
  /**
   * Viewport width in pixels, together with `height`; 1280 unless sent. From 1 to 10000; a fraction is
   * rounded.
   */
  readonly width?: number | undefined;
  /**
   * Viewport height in pixels, together with `width`; 800 unless sent. From 1 to 10000; a fraction is
   * rounded.
   */
  readonly height?: number | undefined;
  /**
   * Device scale factor. A whole number from 1 to 3.
   * @default 1
   */
  readonly scale?: number | undefined;
  /**
   * Capture the whole scrollable page; not with `selector` or a clip region.
   * @default false
   */
  readonly fullPage?: boolean | undefined;
  /**
   * CSS selector; its first match is captured. Not with a clip region or `fullPage`. Write attribute
   * values with double quotes.
   */
  readonly selector?: string | undefined;
  /**
   * Pixels from the left edge. The four clip parameters go together, without `selector` and `fullPage`.
   * A whole number from 0 to 10000.
   */
  readonly clipX?: number | undefined;
  /**
   * Pixels from the top edge. The four clip parameters go together, without `selector` and `fullPage`. A
   * whole number from 0 to 10000.
   */
  readonly clipY?: number | undefined;
  /**
   * Width in pixels. The four clip parameters go together, without `selector` and `fullPage`. A whole
   * number from 1 to 10000.
   */
  readonly clipWidth?: number | undefined;
  /**
   * Height in pixels. The four clip parameters go together, without `selector` and `fullPage`. A whole
   * number from 1 to 10000.
   */
  readonly clipHeight?: number | undefined;
  /**
   * Format of the image.
   * @default "png"
   */
  readonly format?: "png" | "jpeg" | "webp" | undefined;
  /** Quality of a lossy image; only with `format` jpeg or webp. A whole number from 1 to 100. */
  readonly quality?: number | undefined;
  /**
   * Transparent background; only with `format` png or webp.
   * @default false
   */
  readonly omitBackground?: boolean | undefined;
  /**
   * What to wait for before the capture. `networkidle0`: no network connection for half a second;
   * `networkidle2`: at most two. Unless sent it is `networkidle2`, and a page that never gets idle is
   * captured 10 seconds after `load`.
   * @default "networkidle2"
   */
  readonly waitUntil?: "load" | "domcontentloaded" | "networkidle0" | "networkidle2" | undefined;
  /** CSS selector; the capture waits until a matching element exists. */
  readonly waitForSelector?: string | undefined;
  /** Milliseconds to wait before the capture. A whole number from 0 to 10000. */
  readonly delay?: number | undefined;
  /**
   * Whether the response may come from the cache, and whether this rendering is cached; `false` renders
   * again.
   * @default true
   */
  readonly cache?: boolean | undefined;
  /**
   * Seconds for which the rendering is cached; 86400 unless sent. Not together with `cache` false. A
   * whole number from 60 to 2592000.
   * @default 86400
   */
  readonly cacheTtl?: number | undefined;
}

/** Names that validation fills in. */
export type ScreenshotDefaults = "pdf" | "scale" | "fullPage" | "format" | "omitBackground" | "cache";

/** Values of the parameters of a PDF, each by itself: what may be combined is in types.ts. */
export interface PdfValues {
  /**
   * Address of the page to render; a publicly reachable host. Private, loopback and internal addresses
   * are refused.
   */
  readonly url: string;
  /** `true` renders a PDF instead of an image. */
  readonly pdf?: true | undefined;
  /**
   * Landscape orientation.
   * @default false
   */
  readonly landscape?: boolean | undefined;
  /**
   * Paper size; `width` and `height` override it.
   * @default "a4"
   */
  readonly paperFormat?:
    "letter" | "legal" | "tabloid" | "ledger" | "a0" | "a1" | "a2" | "a3" | "a4" | "a5" | "a6" | undefined;
  /** Paper width in `marginUnit`, together with `height`; overrides `paperFormat`. From 1 to 10000. */
  readonly width?: number | undefined;
  /** Paper height in `marginUnit`, together with `width`; overrides `paperFormat`. From 1 to 10000. */
  readonly height?: number | undefined;
  /** Top margin in `marginUnit`; the four margins go together. From 0 to 1000. */
  readonly marginTop?: number | undefined;
  /** Right margin in `marginUnit`; the four margins go together. From 0 to 1000. */
  readonly marginRight?: number | undefined;
  /** Bottom margin in `marginUnit`; the four margins go together. From 0 to 1000. */
  readonly marginBottom?: number | undefined;
  /** Left margin in `marginUnit`; the four margins go together. From 0 to 1000. */
  readonly marginLeft?: number | undefined;
  /**
   * Unit of the margins and of a custom paper size.
   * @default "mm"
   */
  readonly marginUnit?: "mm" | "cm" | "in" | "px" | undefined;
  /**
   * Scale of the content. From 0.1 to 2.
   * @default 1
   */
  readonly scale?: number | undefined;
  /**
   * Whether the response may come from the cache, and whether this rendering is cached; `false` renders
   * again.
   * @default true
   */
  readonly cache?: boolean | undefined;
  /**
   * Seconds for which the rendering is cached; 86400 unless sent. Not together with `cache` false. A
   * whole number from 60 to 2592000.
   * @default 86400
   */
  readonly cacheTtl?: number | undefined;
}

/** Names that validation fills in. */
export type PdfDefaults = "pdf" | "landscape" | "paperFormat" | "marginUnit" | "scale" | "cache";
