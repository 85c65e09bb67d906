import type {
  DeliveryName,
  PdfDefaults,
  PdfValues,
  ScreenshotDefaults,
  ScreenshotValues,
  SecretName,
} from "./values.ts";

/*
 * Input types. A combination that the service rejects does not compile: in each variant of a union, parameters that the
 * variant excludes have the type `undefined`, which is the same as leaving them out. The simplest variant comes last,
 * because the compiler reports errors against it.
 */

type NotSent<Names extends string> = { readonly [Name in Names]?: undefined };
type Sent<Values, Names extends keyof Values> = { readonly [Name in Names]-?: NonNullable<Values[Name]> };

type S = ScreenshotValues;
type P = PdfValues;

type Caching =
  (Pick<S, "cacheTtl"> & { readonly cache?: true | undefined }) | (Pick<S, "cache"> & NotSent<"cacheTtl">);

type Size = "width" | "height";
type Emulated = "scale" | "mobile" | "touch" | "userAgent";
type Viewport =
  | (Pick<S, "device"> & NotSent<Size | Emulated>)
  | ((Sent<S, Size> | NotSent<Size>) & Pick<S, Emulated> & NotSent<"device">);

type Position =
  (Sent<S, "latitude" | "longitude"> & Pick<S, "accuracy">) | NotSent<"latitude" | "longitude" | "accuracy">;

type Mask = (Sent<S, "mask"> & Pick<S, "maskColor">) | (Pick<S, "mask"> & NotSent<"maskColor">);

type Clip = "clipX" | "clipY" | "clipWidth" | "clipHeight";
type FullPage = "fullPageMaxHeight" | "expandScrollers";
type Region =
  | (Sent<S, Clip> & { readonly fullPage?: false | undefined } & NotSent<"selector" | "padding" | FullPage>)
  | (Sent<S, "selector"> &
      Pick<S, "padding"> & { readonly fullPage?: false | undefined } & NotSent<Clip | FullPage>)
  | (Pick<S, "selector"> & { readonly fullPage?: false | undefined } & NotSent<Clip | "padding" | FullPage>)
  | ({ readonly fullPage: true } & Pick<S, FullPage> & NotSent<"selector" | "padding" | Clip>)
  | (Pick<S, "fullPage"> & NotSent<"selector" | "padding" | Clip | FullPage>);

type ImageName = "format" | "quality" | "omitBackground";
type Image =
  | (Pick<S, "quality" | "omitBackground"> & { readonly format: "webp" })
  | (Pick<S, "quality"> & { readonly format: "jpeg" | "webp"; readonly omitBackground?: false | undefined })
  | (Pick<S, "omitBackground"> & { readonly format?: "png" | "webp" | undefined } & NotSent<"quality">)
  | (Pick<S, "format"> & { readonly omitBackground?: false | undefined } & NotSent<"quality">);

type Margin = "marginTop" | "marginRight" | "marginBottom" | "marginLeft";
type HeaderFooter = "headerHtml" | "footerHtml";
type SinglePage = "singlePage" | "landscape" | "cssPageSize" | "pageRanges";
type Paper = (Sent<P, Size> | NotSent<Size>) &
  ((Sent<P, Margin> & Pick<P, HeaderFooter>) | NotSent<Margin | HeaderFooter>) &
  (
    | (Pick<P, "singlePage"> & {
        readonly landscape?: false | undefined;
        readonly cssPageSize?: false | undefined;
      } & NotSent<"pageRanges">)
    | (Pick<P, Exclude<SinglePage, "singlePage">> & { readonly singlePage?: false | undefined })
  );

type Content = "html" | "markdown";
/** The page of a capture. */
type Page =
  | ({ readonly html: string } & NotSent<"url" | "markdown">)
  | ({ readonly markdown: string } & NotSent<"url" | "html">)
  | (Pick<S, "url"> & NotSent<Content>);

/** The parameters that no union above restricts. */
type OtherScreenshotValues = Omit<
  S,
  | "url"
  | "cache"
  | "cacheTtl"
  | Size
  | Emulated
  | "device"
  | keyof Position
  | keyof Mask
  | Clip
  | "fullPage"
  | FullPage
  | "selector"
  | "padding"
  | ImageName
>;
type OtherPdfValues = Omit<
  P,
  "url" | "cache" | "cacheTtl" | Size | Margin | HeaderFooter | SinglePage | keyof Position
>;

export type ImageFormat = NonNullable<S["format"]>;
export type WaitEvent = NonNullable<S["waitUntil"]>;
export type PaperFormat = NonNullable<P["paperFormat"]>;
export type LengthUnit = NonNullable<P["marginUnit"]>;

/** Parameters of a screenshot after validation, defaults filled in. */
export type ScreenshotParameters = Omit<S, ScreenshotDefaults> & Sent<S, ScreenshotDefaults>;
/** Parameters of a PDF after validation, defaults filled in. */
export type PdfParameters = Omit<P, PdfDefaults> & Sent<P, PdfDefaults>;
/** Parameters of either mode; `pdf` selects the mode. */
export type SnapParameters = ScreenshotParameters | PdfParameters;

/**
 * Parameters of a screenshot.
 *
 * @example
 * const input: ScreenshotInput = { url: "https://example.com", format: "webp", quality: 80, fullPage: true };
 */
export type ScreenshotInput = Pick<S, "url"> & ScreenshotOptions;

/**
 * A screenshot of a page: its `url`, or its content as `html` or `markdown`.
 *
 * @example
 * const input: ScreenshotCapture = { html: "<h1>Hello</h1>", width: 1200, height: 630 };
 */
export type ScreenshotCapture = Page & ScreenshotOptions;

type ScreenshotOptions = OtherScreenshotValues &
  Caching &
  Region &
  Image &
  Viewport &
  Position &
  Mask &
  NotSent<Exclude<keyof P, keyof S>>;

/**
 * Parameters of a PDF. `pdf: true` is optional where the mode is already known.
 *
 * @example
 * const input: PdfInput = { url: "https://example.com", paperFormat: "letter", landscape: true };
 */
export type PdfInput = Pick<P, "url"> & PdfOptions;

/**
 * A PDF of a page: its `url`, or its content as `html` or `markdown`.
 *
 * @example
 * const input: PdfCapture = { markdown: "# Report", paperFormat: "letter" };
 */
export type PdfCapture = Page & PdfOptions;

type PdfOptions = OtherPdfValues & Caching & Paper & Position & NotSent<Exclude<keyof S, keyof P>>;

/**
 * Parameters of either mode, selected by `pdf`: a batch item or a signed URL.
 *
 * @example
 * const items: RenderInput[] = [
 *   { url: "https://example.com" },
 *   { url: "https://example.com", pdf: true, paperFormat: "a5" },
 * ];
 */
export type RenderInput = ScreenshotInput | (PdfInput & { readonly pdf: true });

/**
 * Parameters of a signed URL: those of either mode without secrets, because anyone can read the URL, and without a
 * store, because anyone with the URL could write to it.
 *
 * @example
 * const input: SignableInput = { url: "https://example.com", fullPage: true };
 */
export type SignableInput = RenderInput & NotSent<SecretName | DeliveryName>;
