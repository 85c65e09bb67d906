// Generated from the parameter table by packages/workshop/src/docs/generate.ts: change a row, then run `pnpm site reference`.

import type { Cookie } from "./cookies.ts";

/** Values of a screenshot's parameters, each on its own; valid-input.ts has the valid combinations. */
export interface ScreenshotValues {
  /** URL of the page to render. The host must be publicly reachable. */
  readonly url: string;
  /** `true` renders a PDF instead of an image. */
  readonly pdf?: false | undefined;
  /**
   * Viewport width in pixels; requires `height`. From 1 to 10000; a fraction is rounded.
   * @default 1280
   */
  readonly width?: number | undefined;
  /**
   * Viewport height in pixels; requires `width`. From 1 to 10000; a fraction is rounded.
   * @default 800
   */
  readonly height?: number | undefined;
  /**
   * Device scale factor. A whole number from 1 to 3.
   * @default 1
   */
  readonly scale?: number | undefined;
  /**
   * Device to emulate: its viewport, `scale`, `mobile`, `touch` and `userAgent`, which cannot be sent
   * with it.
   */
  readonly device?: string | undefined;
  /**
   * Lay out the page as a mobile browser does, with its `viewport` meta tag and overlay scrollbars.
   * @default false
   */
  readonly mobile?: boolean | undefined;
  /**
   * Emulate a touch screen.
   * @default false
   */
  readonly touch?: boolean | undefined;
  /**
   * Color scheme that the page sees in `prefers-color-scheme`.
   * @default "light"
   */
  readonly colorScheme?: "light" | "dark" | undefined;
  /**
   * Ask the page for less motion, with `prefers-reduced-motion`.
   * @default false
   */
  readonly reducedMotion?: boolean | undefined;
  /**
   * Limit the page to a high-contrast palette, with `forced-colors`.
   * @default false
   */
  readonly forcedColors?: boolean | undefined;
  /**
   * Media type of the style sheets to use.
   * @default "screen"
   */
  readonly mediaType?: "screen" | "print" | undefined;
  /** Browser language: `Accept-Language`, `navigator.language` and the formats of `Intl`. */
  readonly locale?: string | undefined;
  /** Browser time zone. */
  readonly timeZone?: string | undefined;
  /** Latitude that the page can read, in degrees; requires `longitude`. From -90 to 90. */
  readonly latitude?: number | undefined;
  /** Longitude that the page can read, in degrees; requires `latitude`. From -180 to 180. */
  readonly longitude?: number | undefined;
  /**
   * Accuracy of the position in meters; requires `latitude` and `longitude`. From 1 to 10000.
   * @default 10
   */
  readonly accuracy?: number | undefined;
  /** User agent. Client hints match it if it names a version of Chrome; otherwise, there are none. */
  readonly userAgent?: string | undefined;
  /**
   * Whether to run the page's JavaScript.
   * @default true
   */
  readonly javascript?: boolean | undefined;
  /**
   * Header fields to send only to the origin of `url`. Not allowed: `Connection`, `Content-*`, `Cookie`,
   * `Cookie2`, `Expect`, `Host`, `Keep-Alive`, `Proxy-*`, `Sec-*`, `Set-Cookie`, `TE`, `Trailer`,
   * `Transfer-Encoding`, `Upgrade`. Not in signed URLs.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Cookies to set before the page loads: `name` and `value`, and optionally `domain`, `path`, `secure`,
   * `httpOnly` and `sameSite`. By default, only the host of `url` receives them. Not in signed URLs.
   */
  readonly cookies?: readonly Cookie[] | undefined;
  /**
   * User name and password for HTTP basic authentication, sent only to the origin of `url`. Not in
   * signed URLs.
   */
  readonly basicAuth?: string | undefined;
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
   * Maximum height of the capture in pixels; requires `fullPage`. A page that is cut off has the note
   * `height-capped`. A whole number from 100 to 40000.
   */
  readonly fullPageMaxHeight?: number | undefined;
  /**
   * Pixels to capture around the element; requires `selector`. A whole number from 0 to 500.
   * @default 0
   */
  readonly padding?: number | undefined;
  /**
   * Image format.
   * @default "png"
   */
  readonly format?: "png" | "jpeg" | "webp" | undefined;
  /**
   * Quality of a lossy image; requires `format` jpeg or webp, or `output`. For AVIF, 50 by default. A
   * whole number from 1 to 100.
   */
  readonly quality?: number | undefined;
  /** Format of the file, instead of `format`. The operator must have installed sharp. */
  readonly output?: "avif" | undefined;
  /**
   * Transparent background; requires `format` png or webp, or `output`.
   * @default false
   */
  readonly omitBackground?: boolean | undefined;
  /**
   * Width in pixels to which the image is shrunk. The operator must have installed sharp. A whole number
   * from 1 to 10000.
   */
  readonly resizeWidth?: number | undefined;
  /**
   * Height in pixels to which the image is shrunk. The operator must have installed sharp. A whole
   * number from 1 to 10000.
   */
  readonly resizeHeight?: number | undefined;
  /**
   * How the image fits both dimensions: `inside` fits it into them, `cover` cuts off what exceeds them,
   * `contain` adds a border: transparent, or white in a JPEG. Requires `resizeWidth` or `resizeHeight`.
   * @default "inside"
   */
  readonly resizeFit?: "inside" | "cover" | "contain" | undefined;
  /**
   * The part that `cover` keeps, or where `contain` puts the image. Requires `resizeFit` cover or
   * contain.
   * @default "center"
   */
  readonly resizePosition?: "top" | "center" | "bottom" | undefined;
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
   * JavaScript expression; the capture waits until it is truthy. A function must be called: `(() =>
   * window.ready)()`.
   */
  readonly waitForFunction?: string | undefined;
  /** CSS selector; the capture waits until no visible element matches. */
  readonly waitForHidden?: string | undefined;
  /**
   * Maximum milliseconds for `waitForFunction` and `waitForHidden`; in a screenshot, if it or
   * `onWaitTimeout` is sent, also for `waitUntil` and `waitForSelector`. A whole number from 100 to
   * 30000.
   * @default 10000
   */
  readonly waitTimeout?: number | undefined;
  /**
   * When a requested wait times out: `fail` with `render_timeout`, or `capture` the page as it is, with
   * the note `wait-capped`.
   * @default "fail"
   */
  readonly onWaitTimeout?: "fail" | "capture" | undefined;
  /**
   * Decline cookie banners, or hide them if they cannot be declined. Never accepts one.
   * @default false
   */
  readonly blockCookieBanners?: boolean | undefined;
  /**
   * Block ads with the service's filter lists, `SNAP_FILTER_LISTS`.
   * @default false
   */
  readonly blockAds?: boolean | undefined;
  /**
   * Block trackers with the service's filter lists, `SNAP_FILTER_LISTS`.
   * @default false
   */
  readonly blockTrackers?: boolean | undefined;
  /**
   * Up to 20 hosts (`ads.example.com`, `*.example.com`) or URL patterns with `*` to block, separated by
   * commas. Never blocks the page itself.
   */
  readonly blockUrls?: string | undefined;
  /**
   * Kinds of resources to block, separated by commas: any of `image, media, font, stylesheet, script,
   * xhr, websocket`.
   */
  readonly blockResources?: string | undefined;
  /** Style sheet to add to the page. */
  readonly css?: string | undefined;
  /** CSS selector list of elements to make invisible; they still take up space. */
  readonly hideSelectors?: string | undefined;
  /** CSS selector list of elements to remove from the layout. */
  readonly removeSelectors?: string | undefined;
  /**
   * CSS selector of an element to click once the page is ready; the first match is used. If there is
   * none, the note is `click-unmatched`.
   */
  readonly click?: string | undefined;
  /**
   * JavaScript to run in the page, as the body of an async function. If it throws or takes over 10
   * seconds, the render fails with `script_failed`.
   */
  readonly script?: string | undefined;
  /** CSS selector list of elements to cover with boxes. */
  readonly mask?: string | undefined;
  /**
   * Color of the `mask` boxes: a name, a hex color, or a CSS color function with numbers, such as
   * `rgb()`.
   * @default "#ff00ff"
   */
  readonly maskColor?: string | undefined;
  /**
   * How to load content outside the viewport. `auto`: scroll once through full pages and PDFs, in at
   * most 2 seconds. `scroll`: scroll until nothing more loads, in at most 10 seconds. `off`: do not
   * scroll; lazy images load only near the viewport, or all with `javascript=false`.
   * @default "auto"
   */
  readonly lazyContent?: "auto" | "scroll" | "off" | undefined;
  /**
   * Make renders repeatable: finite animations at their end, infinite ones at their start, no caret,
   * GIFs and videos at their first frame. Waits at most 3 seconds for two captures to match; otherwise,
   * the note is `unstable`.
   * @default false
   */
  readonly stabilize?: boolean | undefined;
  /**
   * Lay out the largest inner scroll container at its full height; requires `fullPage`.
   * @default false
   */
  readonly expandScrollers?: boolean | undefined;
  /**
   * Whether to use a cached rendering, and to cache a new one; `false` renders again.
   * @default true
   */
  readonly cache?: boolean | undefined;
  /**
   * Seconds to cache the rendering; 86400 by default. Cannot be combined with `cache` false. A whole
   * number from 60 to 2592000.
   * @default 86400
   */
  readonly cacheTtl?: number | undefined;
  /** Also store the rendering in the operator's object store of this name. Not in signed URLs. */
  readonly storeTo?: string | undefined;
  /**
   * Key of the stored object, under the account's prefix. `{host}` is the host of `url`, `{date}` the
   * UTC date, `{id}` the id of the request or batch item, `{ext}` the extension of the format. Replaces
   * an object that has the same key. Requires `storeTo`.
   * @default "{host}/{date}/{id}.{ext}"
   */
  readonly storeKey?: string | undefined;
}

/** Names of the parameters that validation sets to their defaults if they are not sent. */
export type ScreenshotDefaults =
  | "pdf"
  | "scale"
  | "mobile"
  | "touch"
  | "reducedMotion"
  | "forcedColors"
  | "javascript"
  | "fullPage"
  | "format"
  | "omitBackground"
  | "blockCookieBanners"
  | "blockAds"
  | "blockTrackers"
  | "stabilize"
  | "expandScrollers"
  | "cache";

/** What a screenshot parameter requires of others if it is sent. A flag counts as sent only if it is true. */
export interface ScreenshotRules {
  readonly width: { readonly height: number };
  readonly height: { readonly width: number };
  readonly device: {
    readonly width?: undefined;
    readonly height?: undefined;
    readonly scale?: 1 | undefined;
    readonly mobile?: false | undefined;
    readonly touch?: false | undefined;
    readonly userAgent?: undefined;
  };
  readonly latitude: { readonly longitude: number };
  readonly longitude: { readonly latitude: number };
  readonly accuracy: { readonly latitude: number };
  readonly fullPage: {
    readonly clipX?: undefined;
    readonly clipY?: undefined;
    readonly clipWidth?: undefined;
    readonly clipHeight?: undefined;
  };
  readonly selector: {
    readonly fullPage?: false | undefined;
    readonly clipX?: undefined;
    readonly clipY?: undefined;
    readonly clipWidth?: undefined;
    readonly clipHeight?: undefined;
  };
  readonly clipX: { readonly clipY: number; readonly clipWidth: number; readonly clipHeight: number };
  readonly clipY: { readonly clipX: number; readonly clipWidth: number; readonly clipHeight: number };
  readonly clipWidth: { readonly clipX: number; readonly clipY: number; readonly clipHeight: number };
  readonly clipHeight: { readonly clipX: number; readonly clipY: number; readonly clipWidth: number };
  readonly fullPageMaxHeight: { readonly fullPage: true };
  readonly padding: { readonly selector: string };
  readonly quality: { readonly format: "jpeg" | "webp" };
  readonly output: { readonly format?: undefined };
  readonly omitBackground: { readonly format?: "png" | "webp" | undefined };
  readonly resizePosition: { readonly resizeFit: "cover" | "contain" };
  readonly maskColor: { readonly mask: string };
  readonly expandScrollers: { readonly fullPage: true };
  readonly cacheTtl: { readonly cache?: true | undefined };
  readonly storeKey: { readonly storeTo: string };
}

/** Values of a PDF's parameters, each on its own; valid-input.ts has the valid combinations. */
export interface PdfValues {
  /** URL of the page to render. The host must be publicly reachable. */
  readonly url: string;
  /** `true` renders a PDF instead of an image. */
  readonly pdf?: true | undefined;
  /**
   * Color scheme that the page sees in `prefers-color-scheme`.
   * @default "light"
   */
  readonly colorScheme?: "light" | "dark" | undefined;
  /**
   * Ask the page for less motion, with `prefers-reduced-motion`.
   * @default false
   */
  readonly reducedMotion?: boolean | undefined;
  /**
   * Limit the page to a high-contrast palette, with `forced-colors`.
   * @default false
   */
  readonly forcedColors?: boolean | undefined;
  /**
   * Media type of the style sheets to use.
   * @default "print"
   */
  readonly mediaType?: "screen" | "print" | undefined;
  /** Browser language: `Accept-Language`, `navigator.language` and the formats of `Intl`. */
  readonly locale?: string | undefined;
  /** Browser time zone. */
  readonly timeZone?: string | undefined;
  /** Latitude that the page can read, in degrees; requires `longitude`. From -90 to 90. */
  readonly latitude?: number | undefined;
  /** Longitude that the page can read, in degrees; requires `latitude`. From -180 to 180. */
  readonly longitude?: number | undefined;
  /**
   * Accuracy of the position in meters; requires `latitude` and `longitude`. From 1 to 10000.
   * @default 10
   */
  readonly accuracy?: number | undefined;
  /** User agent. Client hints match it if it names a version of Chrome; otherwise, there are none. */
  readonly userAgent?: string | undefined;
  /**
   * Whether to run the page's JavaScript.
   * @default true
   */
  readonly javascript?: boolean | undefined;
  /**
   * Header fields to send only to the origin of `url`. Not allowed: `Connection`, `Content-*`, `Cookie`,
   * `Cookie2`, `Expect`, `Host`, `Keep-Alive`, `Proxy-*`, `Sec-*`, `Set-Cookie`, `TE`, `Trailer`,
   * `Transfer-Encoding`, `Upgrade`. Not in signed URLs.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Cookies to set before the page loads: `name` and `value`, and optionally `domain`, `path`, `secure`,
   * `httpOnly` and `sameSite`. By default, only the host of `url` receives them. Not in signed URLs.
   */
  readonly cookies?: readonly Cookie[] | undefined;
  /**
   * User name and password for HTTP basic authentication, sent only to the origin of `url`. Not in
   * signed URLs.
   */
  readonly basicAuth?: string | undefined;
  /**
   * JavaScript expression; the capture waits until it is truthy. A function must be called: `(() =>
   * window.ready)()`.
   */
  readonly waitForFunction?: string | undefined;
  /** CSS selector; the capture waits until no visible element matches. */
  readonly waitForHidden?: string | undefined;
  /**
   * Maximum milliseconds for `waitForFunction` and `waitForHidden`; in a screenshot, if it or
   * `onWaitTimeout` is sent, also for `waitUntil` and `waitForSelector`. A whole number from 100 to
   * 30000.
   * @default 10000
   */
  readonly waitTimeout?: number | undefined;
  /**
   * When a requested wait times out: `fail` with `render_timeout`, or `capture` the page as it is, with
   * the note `wait-capped`.
   * @default "fail"
   */
  readonly onWaitTimeout?: "fail" | "capture" | undefined;
  /**
   * Decline cookie banners, or hide them if they cannot be declined. Never accepts one.
   * @default false
   */
  readonly blockCookieBanners?: boolean | undefined;
  /**
   * Block ads with the service's filter lists, `SNAP_FILTER_LISTS`.
   * @default false
   */
  readonly blockAds?: boolean | undefined;
  /**
   * Block trackers with the service's filter lists, `SNAP_FILTER_LISTS`.
   * @default false
   */
  readonly blockTrackers?: boolean | undefined;
  /**
   * Up to 20 hosts (`ads.example.com`, `*.example.com`) or URL patterns with `*` to block, separated by
   * commas. Never blocks the page itself.
   */
  readonly blockUrls?: string | undefined;
  /**
   * Kinds of resources to block, separated by commas: any of `image, media, font, stylesheet, script,
   * xhr, websocket`.
   */
  readonly blockResources?: string | undefined;
  /** Style sheet to add to the page. */
  readonly css?: string | undefined;
  /** CSS selector list of elements to make invisible; they still take up space. */
  readonly hideSelectors?: string | undefined;
  /** CSS selector list of elements to remove from the layout. */
  readonly removeSelectors?: string | undefined;
  /**
   * CSS selector of an element to click once the page is ready; the first match is used. If there is
   * none, the note is `click-unmatched`.
   */
  readonly click?: string | undefined;
  /**
   * JavaScript to run in the page, as the body of an async function. If it throws or takes over 10
   * seconds, the render fails with `script_failed`.
   */
  readonly script?: string | undefined;
  /**
   * How to load content outside the viewport. `auto`: scroll once through full pages and PDFs, in at
   * most 2 seconds. `scroll`: scroll until nothing more loads, in at most 10 seconds. `off`: do not
   * scroll; lazy images load only near the viewport, or all with `javascript=false`.
   * @default "auto"
   */
  readonly lazyContent?: "auto" | "scroll" | "off" | undefined;
  /**
   * Make renders repeatable: finite animations at their end, infinite ones at their start, no caret,
   * GIFs and videos at their first frame. Waits at most 3 seconds for two captures to match; otherwise,
   * the note is `unstable`.
   * @default false
   */
  readonly stabilize?: boolean | undefined;
  /**
   * Lay out the largest inner scroll container at its full height.
   * @default false
   */
  readonly expandScrollers?: boolean | undefined;
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
   * One page as long as its content and as wide as the paper; at most 200 inches long. Cannot be
   * combined with `landscape`, `cssPageSize` or `pageRanges`.
   * @default false
   */
  readonly singlePage?: boolean | undefined;
  /**
   * Allow the page's `@page { size }` to override the paper size.
   * @default false
   */
  readonly cssPageSize?: boolean | undefined;
  /**
   * HTML in the top margin of each page, 9 pt and black by default; requires `marginTop` above 0.
   * Elements with the class `date`, `title`, `url`, `pageNumber` or `totalPages` show that value.
   */
  readonly headerHtml?: string | undefined;
  /** HTML in the bottom margin of each page, like `headerHtml`; requires `marginBottom` above 0. */
  readonly footerHtml?: string | undefined;
  /** Pages to print, in document order. */
  readonly pageRanges?: string | undefined;
  /**
   * Whether to print background colors and images.
   * @default true
   */
  readonly printBackground?: boolean | undefined;
  /**
   * Add bookmarks: an outline of the headings.
   * @default false
   */
  readonly outline?: boolean | undefined;
  /**
   * Tag the structure for screen readers.
   * @default false
   */
  readonly tagged?: boolean | undefined;
  /** Title in the document information; by default, the page's title. */
  readonly pdfTitle?: string | undefined;
  /** Author in the document information. */
  readonly pdfAuthor?: string | undefined;
  /** Subject in the document information. */
  readonly pdfSubject?: string | undefined;
  /** Keywords in the document information, separated by commas. */
  readonly pdfKeywords?: string | undefined;
  /**
   * Whether to use a cached rendering, and to cache a new one; `false` renders again.
   * @default true
   */
  readonly cache?: boolean | undefined;
  /**
   * Seconds to cache the rendering; 86400 by default. Cannot be combined with `cache` false. A whole
   * number from 60 to 2592000.
   * @default 86400
   */
  readonly cacheTtl?: number | undefined;
  /** Also store the rendering in the operator's object store of this name. Not in signed URLs. */
  readonly storeTo?: string | undefined;
  /**
   * Key of the stored object, under the account's prefix. `{host}` is the host of `url`, `{date}` the
   * UTC date, `{id}` the id of the request or batch item, `{ext}` the extension of the format. Replaces
   * an object that has the same key. Requires `storeTo`.
   * @default "{host}/{date}/{id}.{ext}"
   */
  readonly storeKey?: string | undefined;
}

/** Names of the parameters that validation sets to their defaults if they are not sent. */
export type PdfDefaults =
  | "pdf"
  | "reducedMotion"
  | "forcedColors"
  | "javascript"
  | "blockCookieBanners"
  | "blockAds"
  | "blockTrackers"
  | "stabilize"
  | "expandScrollers"
  | "landscape"
  | "paperFormat"
  | "marginUnit"
  | "scale"
  | "singlePage"
  | "cssPageSize"
  | "printBackground"
  | "outline"
  | "tagged"
  | "cache";

/** What a PDF parameter requires of others if it is sent. A flag counts as sent only if it is true. */
export interface PdfRules {
  readonly latitude: { readonly longitude: number };
  readonly longitude: { readonly latitude: number };
  readonly accuracy: { readonly latitude: number };
  readonly width: { readonly height: number };
  readonly height: { readonly width: number };
  readonly marginTop: {
    readonly marginRight: number;
    readonly marginBottom: number;
    readonly marginLeft: number;
  };
  readonly marginRight: {
    readonly marginTop: number;
    readonly marginBottom: number;
    readonly marginLeft: number;
  };
  readonly marginBottom: {
    readonly marginTop: number;
    readonly marginRight: number;
    readonly marginLeft: number;
  };
  readonly marginLeft: {
    readonly marginTop: number;
    readonly marginRight: number;
    readonly marginBottom: number;
  };
  readonly singlePage: {
    readonly landscape?: false | undefined;
    readonly cssPageSize?: false | undefined;
    readonly pageRanges?: undefined;
  };
  readonly cacheTtl: { readonly cache?: true | undefined };
  readonly storeKey: { readonly storeTo: string };
}

/** Names of the parameters that are secret. */
export type SecretName = "headers" | "cookies" | "basicAuth";

/** Names of the parameters that only determine where else the rendering is stored. */
export type DeliveryName = "storeTo" | "storeKey";
