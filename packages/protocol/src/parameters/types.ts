import type {
  DeliveryName,
  PdfDefaults,
  PdfValues,
  ScreenshotDefaults,
  ScreenshotValues,
  SecretName,
} from "./values.ts";

/*
 * Input types. They check each parameter separately; valid-input.ts checks the combinations. They
 * are writable and accept `undefined`, which is the same as leaving a parameter out, so parameters
 * can be built step by step or from a form.
 */

type NotSent<Names extends PropertyKey> = { [Name in Names]?: undefined };
type Sent<Values, Names extends keyof Values> = { readonly [Name in Names]-?: NonNullable<Values[Name]> };
type Writable<Values> = { -readonly [Name in keyof Values]: Values[Name] };

type S = ScreenshotValues;
type P = PdfValues;

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
 * const input: ScreenshotInput = { url: "https://example.com", format: "webp" };
 * input.quality = 80;
 */
export interface ScreenshotInput extends Writable<S>, NotSent<Exclude<keyof P, keyof S>> {}

/**
 * Parameters of a PDF. `pdf: true` is optional where the mode is already known.
 *
 * @example
 * const input: PdfInput = { url: "https://example.com", paperFormat: "letter", landscape: true };
 */
export interface PdfInput extends Writable<P>, NotSent<Exclude<keyof S, keyof P>> {}

/** The page of a capture: exactly one of these. */
interface Page {
  /** URL of the page to render. The host must be publicly reachable. */
  url?: string | undefined;
  /** The page itself, as HTML. */
  html?: string | undefined;
  /** The page itself, as GitHub Flavored Markdown. */
  markdown?: string | undefined;
}

/**
 * A screenshot of a page: its `url`, or its content as `html` or `markdown`.
 *
 * @example
 * const input: ScreenshotCapture = { html: "<h1>Hello</h1>", width: 1200, height: 630 };
 */
export interface ScreenshotCapture extends Omit<ScreenshotInput, "url">, Page {}

/**
 * A PDF of a page: its `url`, or its content as `html` or `markdown`.
 *
 * @example
 * const input: PdfCapture = { markdown: "# Report", paperFormat: "letter" };
 */
export interface PdfCapture extends Omit<PdfInput, "url">, Page {}

/**
 * Parameters of either mode, as in a batch item or a signed URL.
 *
 * @example
 * const items: RenderInput[] = [
 *   { url: "https://example.com" },
 *   { url: "https://example.com", pdf: true, paperFormat: "a5" },
 * ];
 */
export interface RenderInput extends Omit<Writable<S & P>, "pdf"> {
  /** `true` renders a PDF, anything else a screenshot. */
  pdf?: boolean | undefined;
}

/**
 * Parameters of a batch item: those of either mode. Its rendering is fetched later, so the cache cannot be off.
 *
 * @example
 * const item: BatchItemInput = { url: "https://example.com", cacheTtl: 7200 };
 * item.pdf = true;
 */
export interface BatchItemInput extends Omit<RenderInput, "cache"> {
  cache?: true | undefined;
}

/**
 * Parameters of a signed URL: those of either mode without secrets, because anyone can read the URL, and without a
 * store, because anyone with the URL could write to it.
 *
 * @example
 * const input: SignableInput = { url: "https://example.com", fullPage: true };
 */
export interface SignableInput
  extends Omit<RenderInput, SecretName | DeliveryName>, NotSent<SecretName | DeliveryName> {}
