import type { PdfDefaults, PdfValues, ScreenshotDefaults, ScreenshotValues } from "./values.ts";

/*
 * Input types. A combination that the service refuses does not compile: a member of type `undefined` is ruled out by
 * the rest of its alternative. `undefined` is the same as leaving the member out. In each union the simplest
 * alternative comes last, because the compiler reports errors against it.
 */

type NotSent<Names extends string> = { readonly [Name in Names]?: undefined };
type Sent<Values, Names extends keyof Values> = { readonly [Name in Names]-?: NonNullable<Values[Name]> };

type S = ScreenshotValues;
type P = PdfValues;

type Caching =
  (Pick<S, "cacheTtl"> & { readonly cache?: true | undefined }) | (Pick<S, "cache"> & NotSent<"cacheTtl">);

type Size = "width" | "height";
type Viewport = Sent<S, Size> | NotSent<Size>;

type Clip = "clipX" | "clipY" | "clipWidth" | "clipHeight";
type Region =
  | (Sent<S, Clip> & { readonly fullPage?: false | undefined } & NotSent<"selector">)
  | (Pick<S, "selector"> & { readonly fullPage?: false | undefined } & NotSent<Clip>)
  | (Pick<S, "fullPage"> & NotSent<"selector" | Clip>);

type ImageName = "format" | "quality" | "omitBackground";
type Image =
  | (Pick<S, "quality" | "omitBackground"> & { readonly format: "webp" })
  | (Pick<S, "quality"> & { readonly format: "jpeg" | "webp"; readonly omitBackground?: false | undefined })
  | (Pick<S, "omitBackground"> & { readonly format?: "png" | "webp" | undefined } & NotSent<"quality">)
  | (Pick<S, "format"> & { readonly omitBackground?: false | undefined } & NotSent<"quality">);

type Margin = "marginTop" | "marginRight" | "marginBottom" | "marginLeft";
type Paper = (Sent<P, Size> | NotSent<Size>) & (Sent<P, Margin> | NotSent<Margin>);

/** The members that no alternative above restricts. */
type OtherScreenshotValues = Omit<
  S,
  "cache" | "cacheTtl" | Size | Clip | "fullPage" | "selector" | ImageName
>;
type OtherPdfValues = Omit<P, "cache" | "cacheTtl" | Size | Margin>;

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
export type ScreenshotInput = OtherScreenshotValues &
  Caching &
  Region &
  Image &
  Viewport &
  NotSent<Exclude<keyof P, keyof S>>;

/**
 * Parameters of a PDF. `pdf: true` is optional where the mode is already known.
 *
 * @example
 * const input: PdfInput = { url: "https://example.com", paperFormat: "letter", landscape: true };
 */
export type PdfInput = OtherPdfValues & Caching & Paper & NotSent<Exclude<keyof S, keyof P>>;

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
