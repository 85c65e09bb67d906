import { assertType, describe, expectTypeOf, it } from "vitest";
import type { PdfInput, RenderInput, ScreenshotInput, SignableInput } from "../../src/index.ts";

/* Checked by the compiler: an expected error that does not occur is an error. */

const url = "https://example.com/";
const clip = { clipX: 0, clipY: 0, clipWidth: 400, clipHeight: 300 };
const margins = { marginTop: 1, marginRight: 1, marginBottom: 1, marginLeft: 1 };

describe("ScreenshotInput", () => {
  it("accepts parameters that the service accepts", () => {
    assertType<ScreenshotInput>({ url });
    assertType<ScreenshotInput>({ url, pdf: false });
    assertType<ScreenshotInput>({ url, format: "jpeg", quality: 80 });
    assertType<ScreenshotInput>({ url, format: "webp", quality: 80, omitBackground: true });
    assertType<ScreenshotInput>({ url, format: "png", omitBackground: true });
    assertType<ScreenshotInput>({ url, output: "avif", quality: 40, omitBackground: true });
    assertType<ScreenshotInput>({ url, resizeWidth: 1, resizeFit: "cover", resizePosition: "top" });
    assertType<ScreenshotInput>({ url, omitBackground: true });
    assertType<ScreenshotInput>({ url, format: "jpeg", omitBackground: false });
    assertType<ScreenshotInput>({ url, fullPage: true, scale: 2, delay: 100 });
    assertType<ScreenshotInput>({ url, fullPage: false, selector: "main" });
    assertType<ScreenshotInput>({ url, ...clip, format: "jpeg", quality: 1 });
    assertType<ScreenshotInput>({
      url,
      width: 800,
      height: 600,
      waitForSelector: "#ready",
      waitUntil: "load",
    });
    assertType<ScreenshotInput>({ url, device: "iphone-15-pro", colorScheme: "dark", locale: "de-CH" });
    assertType<ScreenshotInput>({ url, width: 800, height: 600, scale: 2, mobile: true, userAgent: "Bot/1" });
    assertType<ScreenshotInput>({ url, latitude: 1, longitude: 2, accuracy: 100 });
    assertType<ScreenshotInput>({ url, selector: "main", padding: 20, mask: "img", maskColor: "red" });
    assertType<ScreenshotInput>({ url, fullPage: true, fullPageMaxHeight: 5000, expandScrollers: true });
    assertType<ScreenshotInput>({ url, headers: { "X-A": "1" }, cookies: [{ name: "a", value: "b" }] });
    assertType<ScreenshotInput>({ url, cache: false });
    assertType<ScreenshotInput>({ url, cache: true, cacheTtl: 60 });
    assertType<ScreenshotInput>({ url, cacheTtl: 60 });
  });

  it("rejects a parameter without its partner", () => {
    // @ts-expect-error -- longitude is missing
    assertType<ScreenshotInput>({ url, latitude: 1 });
    // @ts-expect-error -- requires selector
    assertType<ScreenshotInput>({ url, padding: 20 });
    // @ts-expect-error -- requires fullPage
    assertType<ScreenshotInput>({ url, fullPageMaxHeight: 500 });
    // @ts-expect-error -- requires mask
    assertType<ScreenshotInput>({ url, maskColor: "red" });
    // @ts-expect-error -- the device has a viewport
    assertType<ScreenshotInput>({ url, device: "iphone-15-pro", width: 800, height: 600 });
    // @ts-expect-error -- the device has a user agent
    assertType<ScreenshotInput>({ url, device: "iphone-15-pro", userAgent: "Bot/1" });
  });

  it("accepts values that are known only at run time", () => {
    const flag = Math.random() > 0.5;
    const format: "png" | "jpeg" | "webp" = flag ? "png" : "jpeg";
    assertType<ScreenshotInput>({ url, fullPage: flag, cache: flag, format });
    assertType<ScreenshotInput>({ url, omitBackground: flag, fullPage: flag, cache: flag });
    assertType<ScreenshotInput>({ url, delay: flag ? 5 : undefined, cacheTtl: flag ? 60 : undefined });
    assertType<ScreenshotInput>({ url, selector: flag ? "main" : undefined });
    assertType<ScreenshotInput>({ url, format: flag ? "jpeg" : "webp", quality: flag ? 5 : undefined });
    assertType<ScreenshotInput>(flag ? { url, fullPage: true } : { url, selector: "main" });
  });

  it("accepts undefined for parameters that are not sent", () => {
    assertType<ScreenshotInput>({
      url,
      quality: undefined,
      selector: undefined,
      width: undefined,
      height: undefined,
    });
    assertType<ScreenshotInput>({
      url,
      clipX: undefined,
      clipY: undefined,
      cacheTtl: undefined,
      landscape: undefined,
    });
  });

  it("rejects parameters that the service rejects", () => {
    // @ts-expect-error -- url is required
    assertType<ScreenshotInput>({});
    // @ts-expect-error -- png has no quality
    assertType<ScreenshotInput>({ url, quality: 80 });
    // @ts-expect-error -- png has no quality
    assertType<ScreenshotInput>({ url, format: "png", quality: 80 });
    // @ts-expect-error -- jpeg has no transparency
    assertType<ScreenshotInput>({ url, format: "jpeg", omitBackground: true });
    // @ts-expect-error -- output is used instead of format
    assertType<ScreenshotInput>({ url, format: "webp", output: "avif" });
    // @ts-expect-error -- fullPage excludes selector
    assertType<ScreenshotInput>({ url, fullPage: true, selector: "main" });
    // @ts-expect-error -- fullPage excludes a clip region
    assertType<ScreenshotInput>({ url, fullPage: true, ...clip });
    // @ts-expect-error -- selector excludes a clip region
    assertType<ScreenshotInput>({ url, selector: "main", ...clip });
    // @ts-expect-error -- a clip region needs all four members
    assertType<ScreenshotInput>({ url, clipX: 0 });
    // @ts-expect-error -- a clip region needs all four members
    assertType<ScreenshotInput>({ url, clipX: 0, clipY: 0, clipWidth: 400 });
    // @ts-expect-error -- width and height need each other
    assertType<ScreenshotInput>({ url, width: 800 });
    // @ts-expect-error -- width and height need each other
    assertType<ScreenshotInput>({ url, height: 600 });
    // @ts-expect-error -- cache: false excludes cacheTtl
    assertType<ScreenshotInput>({ url, cache: false, cacheTtl: 60 });
    // @ts-expect-error -- a PDF
    assertType<ScreenshotInput>({ url, pdf: true });
    // @ts-expect-error -- for PDFs only
    assertType<ScreenshotInput>({ url, landscape: true });
    // @ts-expect-error -- for PDFs only
    assertType<ScreenshotInput>({ url, paperFormat: "a4" });
    // @ts-expect-error -- for PDFs only
    assertType<ScreenshotInput>({ url, marginUnit: "mm" });
    // @ts-expect-error -- for PDFs only
    assertType<ScreenshotInput>({ url, ...margins });
    // @ts-expect-error -- unknown parameter
    assertType<ScreenshotInput>({ url, fulPage: true });
    // @ts-expect-error -- unknown format
    assertType<ScreenshotInput>({ url, format: "gif" });
    // @ts-expect-error -- unknown event
    assertType<ScreenshotInput>({ url, waitUntil: "idle" });
    // @ts-expect-error -- a number, not a string
    assertType<ScreenshotInput>({ url, delay: "5" });
    // @ts-expect-error -- a boolean, not a number
    assertType<ScreenshotInput>({ url, fullPage: 1 });
  });
});

describe("PdfInput", () => {
  it("accepts parameters that the service accepts", () => {
    assertType<PdfInput>({ url });
    assertType<PdfInput>({ url, pdf: true });
    assertType<PdfInput>({ url, landscape: true, paperFormat: "letter", scale: 0.5 });
    assertType<PdfInput>({ url, width: 210, height: 297, marginUnit: "mm", ...margins });
    assertType<PdfInput>({ url, cache: false });
    assertType<PdfInput>({ url, cacheTtl: 60, marginTop: undefined, format: undefined });
    assertType<PdfInput>({ url, headerHtml: "a", footerHtml: "b", ...margins, pageRanges: "1-3,5,8-" });
    assertType<PdfInput>({ url, singlePage: true, landscape: false, outline: true, tagged: true });
    assertType<PdfInput>({ url, cssPageSize: true, printBackground: false, landscape: true });
    assertType<PdfInput>({ url, pdfTitle: "a", pdfAuthor: "b", pdfSubject: "c", pdfKeywords: "d" });
  });

  it("accepts values that are known only at run time", () => {
    const flag = Math.random() > 0.5;
    assertType<PdfInput>({ url, landscape: flag, cssPageSize: flag, pageRanges: flag ? "1" : undefined });
    assertType<PdfInput>({ url, ...margins, headerHtml: flag ? "a" : undefined });
    assertType<PdfInput>({ url, singlePage: flag });
  });

  it("rejects parameters that the service rejects", () => {
    // @ts-expect-error -- a screenshot
    assertType<PdfInput>({ url, pdf: false });
    // @ts-expect-error -- all four margins are required
    assertType<PdfInput>({ url, marginTop: 1 });
    // @ts-expect-error -- a header needs margins
    assertType<PdfInput>({ url, headerHtml: "a" });
    // @ts-expect-error -- a single page has no other pages
    assertType<PdfInput>({ url, singlePage: true, pageRanges: "1" });
    // @ts-expect-error -- a single page is as long as its content
    assertType<PdfInput>({ url, singlePage: true, landscape: true });
    // @ts-expect-error -- a single page is as long as its content
    assertType<PdfInput>({ url, singlePage: true, cssPageSize: true });
    // @ts-expect-error -- width and height need each other
    assertType<PdfInput>({ url, width: 210 });
    // @ts-expect-error -- cache: false excludes cacheTtl
    assertType<PdfInput>({ url, cache: false, cacheTtl: 60 });
    // @ts-expect-error -- unknown paper format
    assertType<PdfInput>({ url, paperFormat: "a7" });
    // @ts-expect-error -- unknown unit
    assertType<PdfInput>({ url, marginUnit: "pt" });
    // @ts-expect-error -- for screenshots only
    assertType<PdfInput>({ url, fullPage: true });
    // @ts-expect-error -- for screenshots only
    assertType<PdfInput>({ url, format: "png" });
    // @ts-expect-error -- for screenshots only
    assertType<PdfInput>({ url, quality: 80 });
    // @ts-expect-error -- for screenshots only
    assertType<PdfInput>({ url, delay: 5 });
    // @ts-expect-error -- for screenshots only
    assertType<PdfInput>({ url, selector: "main" });
    // @ts-expect-error -- for screenshots only
    assertType<PdfInput>({ url, ...clip });
    // @ts-expect-error -- for screenshots only
    assertType<PdfInput>({ url, omitBackground: true });
    // @ts-expect-error -- for screenshots only
    assertType<PdfInput>({ url, waitForSelector: "main" });
    // @ts-expect-error -- for screenshots only
    assertType<PdfInput>({ url, waitUntil: "load" });
  });
});

describe("RenderInput", () => {
  it("selects the mode by pdf", () => {
    assertType<RenderInput>({ url });
    assertType<RenderInput>({ url, pdf: false, fullPage: true });
    assertType<RenderInput>({ url, pdf: true, landscape: true });
    const input: PdfInput = { url, landscape: true };
    assertType<RenderInput>({ ...input, pdf: true });
    // @ts-expect-error -- PDF parameters need pdf: true
    assertType<RenderInput>({ url, landscape: true });
    // @ts-expect-error -- for screenshots only
    assertType<RenderInput>({ url, pdf: true, fullPage: true });
  });

  it("includes both modes", () => {
    expectTypeOf<ScreenshotInput>().toExtend<RenderInput>();
    expectTypeOf<PdfInput & { readonly pdf: true }>().toExtend<RenderInput>();
    expectTypeOf<PdfInput>().not.toExtend<RenderInput>();
    expectTypeOf<ScreenshotInput>().not.toExtend<PdfInput>();
  });
});

describe("SignableInput", () => {
  it("has no secrets, in either mode", () => {
    assertType<SignableInput>({ url, fullPage: true });
    assertType<SignableInput>({ url, pdf: true, landscape: true });
    // @ts-expect-error -- secret
    assertType<SignableInput>({ url, headers: { "x-preview": "s3cr3t" } });
    // @ts-expect-error -- secret
    assertType<SignableInput>({ url, cookies: [{ name: "session", value: "s3cr3t" }] });
    // @ts-expect-error -- secret
    assertType<SignableInput>({ url, pdf: true, basicAuth: "ada:s3cr3t" });
  });
});
