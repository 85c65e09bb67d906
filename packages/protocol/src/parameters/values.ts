// Generated from table.ts by packages/workshop/src/docs/generate.ts: change the table, then run `pnpm site reference`.

/** Values of the parameters of a screenshot, each on its own; types.ts has the valid combinations. */
export interface ScreenshotValues {
  /**
   * URL of the page to render. The host must be publicly reachable; private, loopback and internal
   * addresses are blocked.
   */
  readonly url: string;
  /** `true` renders a PDF instead of an image. */
  readonly pdf?: false | undefined;
  /**
   * Viewport width in pixels; requires `height`. 1280 by default. From 1 to 10000; a fraction is
   * rounded.
   */
  readonly width?: number | undefined;
  /** Viewport height in pixels; requires `width`. 800 by default. From 1 to 10000; a fraction is rounded. */
  readonly height?: number | undefined;
  /**
   * Device scale factor. A whole number from 1 to 3.
   * @default 1
   */
  readonly scale?: number | undefined;
  /**
   * Capture the whole scrollable page. Cannot be combined with `selector` or a clip region.
   * @default false
   */
  readonly fullPage?: boolean | undefined;
  /**
   * CSS selector of the element to capture; the first match is used. Cannot be combined with a clip
   * region or `fullPage`. Use double quotes for attribute values.
   */
  readonly selector?: string | undefined;
  /**
   * Left edge of the clip region in pixels. Send all four clip parameters together, without `selector`
   * or `fullPage`. A whole number from 0 to 10000.
   */
  readonly clipX?: number | undefined;
  /**
   * Top edge of the clip region in pixels. Send all four clip parameters together, without `selector` or
   * `fullPage`. A whole number from 0 to 10000.
   */
  readonly clipY?: number | undefined;
  /**
   * Width of the clip region in pixels. Send all four clip parameters together, without `selector` or
   * `fullPage`. A whole number from 1 to 10000.
   */
  readonly clipWidth?: number | undefined;
  /**
   * Height of the clip region in pixels. Send all four clip parameters together, without `selector` or
   * `fullPage`. A whole number from 1 to 10000.
   */
  readonly clipHeight?: number | undefined;
  /**
   * Image format.
   * @default "png"
   */
  readonly format?: "png" | "jpeg" | "webp" | undefined;
  /** Quality of a lossy image; requires `format` jpeg or webp. A whole number from 1 to 100. */
  readonly quality?: number | undefined;
  /**
   * Transparent background; requires `format` png or webp.
   * @default false
   */
  readonly omitBackground?: boolean | undefined;
  /**
   * What to wait for before the capture. `networkidle0`: no network connection for half a second;
   * `networkidle2`: at most two. By default `networkidle2`, and a page that never becomes idle is
   * captured 10 seconds after `load`.
   * @default "networkidle2"
   */
  readonly waitUntil?: "load" | "domcontentloaded" | "networkidle0" | "networkidle2" | undefined;
  /** CSS selector; the capture waits for a matching element. */
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
   * Seconds to cache the rendering; 86400 by default. Cannot be combined with `cache` false. A whole
   * number from 60 to 2592000.
   * @default 86400
   */
  readonly cacheTtl?: number | undefined;
}

/** Names that validation fills in. */
export type ScreenshotDefaults = "pdf" | "scale" | "fullPage" | "format" | "omitBackground" | "cache";

/** Values of the parameters of a PDF, each on its own; types.ts has the valid combinations. */
export interface PdfValues {
  /**
   * URL of the page to render. The host must be publicly reachable; private, loopback and internal
   * addresses are blocked.
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
  /** Paper width in `marginUnit`; requires `height` and overrides `paperFormat`. From 1 to 10000. */
  readonly width?: number | undefined;
  /** Paper height in `marginUnit`; requires `width` and overrides `paperFormat`. From 1 to 10000. */
  readonly height?: number | undefined;
  /** Top margin in `marginUnit`; send all four margins together. From 0 to 1000. */
  readonly marginTop?: number | undefined;
  /** Right margin in `marginUnit`; send all four margins together. From 0 to 1000. */
  readonly marginRight?: number | undefined;
  /** Bottom margin in `marginUnit`; send all four margins together. From 0 to 1000. */
  readonly marginBottom?: number | undefined;
  /** Left margin in `marginUnit`; send all four margins together. From 0 to 1000. */
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
   * Seconds to cache the rendering; 86400 by default. Cannot be combined with `cache` false. A whole
   * number from 60 to 2592000.
   * @default 86400
   */
  readonly cacheTtl?: number | undefined;
}

/** Names that validation fills in. */
export type PdfDefaults = "pdf" | "landscape" | "paperFormat" | "marginUnit" | "scale" | "cache";
