import { assertType, describe, expectTypeOf, it } from "vitest";
import type {
  BatchItemInput,
  PdfCapture,
  PdfInput,
  RenderInput,
  ScreenshotCapture,
  ScreenshotInput,
  SignableInput,
  ValidBatchItem,
  ValidPdf,
  ValidScreenshot,
  ValidSignable,
} from "../../src/index.ts";

/* Checked by the compiler: an expected error that does not occur is an error. */
/* oxlint-disable vitest/expect-expect -- the compiler checks the calls */

const screenshot = <const P extends ScreenshotCapture>(_parameters: ValidScreenshot<P>): void => {};
const pdf = <const P extends PdfCapture>(_parameters: ValidPdf<P>): void => {};
const item = <const P extends RenderInput>(_parameters: ValidBatchItem<P>): void => {};
const sign = <const P extends SignableInput>(_parameters: ValidSignable<P>): void => {};

const url = "https://example.com/";
const clip = { clipX: 0, clipY: 0, clipWidth: 400, clipHeight: 300 };
const margins = { marginTop: 1, marginRight: 1, marginBottom: 1, marginLeft: 1 };

describe("the argument of screenshot()", () => {
  it("accepts parameters that the service accepts", () => {
    screenshot({ url });
    screenshot({ url, pdf: false });
    screenshot({ url, format: "jpeg", quality: 80 });
    screenshot({ url, format: "webp", quality: 80, omitBackground: true });
    screenshot({ url, format: "png", omitBackground: true });
    screenshot({ url, output: "avif", quality: 40, omitBackground: true });
    screenshot({ url, resizeWidth: 1, resizeFit: "cover", resizePosition: "top" });
    screenshot({ url, omitBackground: true });
    screenshot({ url, format: "jpeg", omitBackground: false });
    screenshot({ url, fullPage: true, scale: 2, delay: 100 });
    screenshot({ url, fullPage: false, selector: "main" });
    screenshot({ url, ...clip, format: "jpeg", quality: 1 });
    screenshot({
      url,
      width: 800,
      height: 600,
      waitForSelector: "#ready",
      waitUntil: "load",
    });
    screenshot({ url, device: "iphone-15-pro", colorScheme: "dark", locale: "de-CH" });
    screenshot({ url, width: 800, height: 600, scale: 2, mobile: true, userAgent: "Bot/1" });
    screenshot({ url, latitude: 1, longitude: 2, accuracy: 100 });
    screenshot({ url, selector: "main", padding: 20, mask: "img", maskColor: "red" });
    screenshot({ url, fullPage: true, fullPageMaxHeight: 5000, expandScrollers: true });
    screenshot({ url, headers: { "X-A": "1" }, cookies: [{ name: "a", value: "b" }] });
    screenshot({ url, cache: false });
    screenshot({ url, cache: true, cacheTtl: 60 });
    screenshot({ url, cacheTtl: 60 });
  });

  it("rejects a parameter without its partner, or with a conflicting one", () => {
    // @ts-expect-error -- longitude is missing
    screenshot({ url, latitude: 1 });
    // @ts-expect-error -- requires selector
    screenshot({ url, padding: 20 });
    // @ts-expect-error -- requires fullPage
    screenshot({ url, fullPageMaxHeight: 500 });
    // @ts-expect-error -- requires mask
    screenshot({ url, maskColor: "red" });
    // @ts-expect-error -- the device has a viewport
    screenshot({ url, device: "iphone-15-pro", width: 800, height: 600 });
    // @ts-expect-error -- the device has a user agent
    screenshot({ url, device: "iphone-15-pro", userAgent: "Bot/1" });
  });

  it("accepts values that are known only at run time", () => {
    const flag = Math.random() > 0.5;
    const format: "png" | "jpeg" | "webp" = flag ? "png" : "jpeg";
    screenshot({ url, fullPage: flag, cache: flag, format });
    screenshot({ url, omitBackground: flag, fullPage: flag, cache: flag });
    screenshot({ url, delay: flag ? 5 : undefined, cacheTtl: flag ? 60 : undefined });
    screenshot({ url, selector: flag ? "main" : undefined });
    screenshot({ url, format: flag ? "jpeg" : "webp", quality: flag ? 5 : undefined });
    screenshot(flag ? { url, fullPage: true } : { url, selector: "main" });
  });

  it("accepts undefined for parameters that are not sent", () => {
    screenshot({
      url,
      quality: undefined,
      selector: undefined,
      width: undefined,
      height: undefined,
    });
    screenshot({
      url,
      clipX: undefined,
      clipY: undefined,
      cacheTtl: undefined,
      landscape: undefined,
    });
  });

  it("rejects parameters that the service rejects", () => {
    // @ts-expect-error -- url is required
    screenshot({});
    // @ts-expect-error -- png has no quality
    screenshot({ url, quality: 80 });
    // @ts-expect-error -- png has no quality
    screenshot({ url, format: "png", quality: 80 });
    // @ts-expect-error -- jpeg has no transparency
    screenshot({ url, format: "jpeg", omitBackground: true });
    // @ts-expect-error -- output is used instead of format
    screenshot({ url, format: "webp", output: "avif" });
    // @ts-expect-error -- fullPage excludes selector
    screenshot({ url, fullPage: true, selector: "main" });
    // @ts-expect-error -- fullPage excludes a clip region
    screenshot({ url, fullPage: true, ...clip });
    // @ts-expect-error -- selector excludes a clip region
    screenshot({ url, selector: "main", ...clip });
    // @ts-expect-error -- a clip region needs all four members
    screenshot({ url, clipX: 0 });
    // @ts-expect-error -- a clip region needs all four members
    screenshot({ url, clipX: 0, clipY: 0, clipWidth: 400 });
    // @ts-expect-error -- width and height need each other
    screenshot({ url, width: 800 });
    // @ts-expect-error -- width and height need each other
    screenshot({ url, height: 600 });
    // @ts-expect-error -- cache: false excludes cacheTtl
    screenshot({ url, cache: false, cacheTtl: 60 });
    // @ts-expect-error -- a PDF
    screenshot({ url, pdf: true });
    // @ts-expect-error -- for PDFs only
    screenshot({ url, landscape: true });
    // @ts-expect-error -- for PDFs only
    screenshot({ url, paperFormat: "a4" });
    // @ts-expect-error -- for PDFs only
    screenshot({ url, marginUnit: "mm" });
    // @ts-expect-error -- for PDFs only
    screenshot({ url, ...margins });
    // @ts-expect-error -- unknown parameter
    screenshot({ url, fulPage: true });
    // @ts-expect-error -- unknown format
    screenshot({ url, format: "gif" });
    // @ts-expect-error -- unknown event
    screenshot({ url, waitUntil: "idle" });
    // @ts-expect-error -- a number, not a string
    screenshot({ url, delay: "5" });
    // @ts-expect-error -- a boolean, not a number
    screenshot({ url, fullPage: 1 });
  });
});

describe("the argument of pdf()", () => {
  it("accepts parameters that the service accepts", () => {
    pdf({ url });
    pdf({ url, pdf: true });
    pdf({ url, landscape: true, paperFormat: "letter", scale: 0.5 });
    pdf({ url, width: 210, height: 297, marginUnit: "mm", ...margins });
    pdf({ url, cache: false });
    pdf({ url, cacheTtl: 60, marginTop: undefined, format: undefined });
    pdf({ url, headerHtml: "a", footerHtml: "b", ...margins, pageRanges: "1-3,5,8-" });
    pdf({ url, singlePage: true, landscape: false, outline: true, tagged: true });
    pdf({ url, cssPageSize: true, printBackground: false, landscape: true });
    pdf({ url, pdfTitle: "a", pdfAuthor: "b", pdfSubject: "c", pdfKeywords: "d" });
  });

  it("accepts values that are known only at run time", () => {
    const flag = Math.random() > 0.5;
    pdf({ url, landscape: flag, cssPageSize: flag, pageRanges: flag ? "1" : undefined });
    pdf({ url, ...margins, headerHtml: flag ? "a" : undefined });
    pdf({ url, singlePage: flag });
  });

  it("rejects parameters that the service rejects", () => {
    // @ts-expect-error -- a screenshot
    pdf({ url, pdf: false });
    // @ts-expect-error -- all four margins are required
    pdf({ url, marginTop: 1 });
    // @ts-expect-error -- a header needs margins
    pdf({ url, headerHtml: "a" });
    // @ts-expect-error -- a single page has no other pages
    pdf({ url, singlePage: true, pageRanges: "1" });
    // @ts-expect-error -- a single page is as long as its content
    pdf({ url, singlePage: true, landscape: true });
    // @ts-expect-error -- a single page is as long as its content
    pdf({ url, singlePage: true, cssPageSize: true });
    // @ts-expect-error -- width and height need each other
    pdf({ url, width: 210 });
    // @ts-expect-error -- cache: false excludes cacheTtl
    pdf({ url, cache: false, cacheTtl: 60 });
    // @ts-expect-error -- unknown paper format
    pdf({ url, paperFormat: "a7" });
    // @ts-expect-error -- unknown unit
    pdf({ url, marginUnit: "pt" });
    // @ts-expect-error -- for screenshots only
    pdf({ url, fullPage: true });
    // @ts-expect-error -- for screenshots only
    pdf({ url, format: "png" });
    // @ts-expect-error -- for screenshots only
    pdf({ url, quality: 80 });
    // @ts-expect-error -- for screenshots only
    pdf({ url, delay: 5 });
    // @ts-expect-error -- for screenshots only
    pdf({ url, selector: "main" });
    // @ts-expect-error -- for screenshots only
    pdf({ url, ...clip });
    // @ts-expect-error -- for screenshots only
    pdf({ url, omitBackground: true });
    // @ts-expect-error -- for screenshots only
    pdf({ url, waitForSelector: "main" });
    // @ts-expect-error -- for screenshots only
    pdf({ url, waitUntil: "load" });
  });
});

describe("a batch item", () => {
  it("has the parameters of the mode that pdf selects", () => {
    item({ url });
    item({ url, pdf: false, fullPage: true });
    item({ url, pdf: true, landscape: true });
    const input: PdfInput = { url, landscape: true };
    item({ ...input, pdf: true });
    // @ts-expect-error -- PDF parameters need pdf: true
    item({ url, landscape: true });
    // @ts-expect-error -- for screenshots only
    item({ url, pdf: true, fullPage: true });
  });

  it("rejects cache: false in both modes", () => {
    // @ts-expect-error -- renderings of a batch are fetched later
    item({ url, cache: false });
    // @ts-expect-error -- renderings of a batch are fetched later
    item({ url, pdf: true, cache: false });
    // @ts-expect-error -- renderings of a batch are fetched later
    assertType<BatchItemInput>({ url, cache: false });
    item({ url, cache: true, cacheTtl: 7200 });
  });

  it("accepts a mode that is known only at run time, with parameters of both modes", () => {
    const form = { pdf: undefined as boolean | undefined, quality: undefined as number | undefined };
    item({ url, pdf: form.pdf });
    item({ url, pdf: form.pdf, quality: form.quality, landscape: form.pdf });
  });
});

describe("the input types", () => {
  it("are writable", () => {
    const input: ScreenshotInput = { url };
    input.width = 800;
    input.height = undefined;
    screenshot(input);
    const paper: PdfInput = { url };
    paper.marginTop = 1;
    pdf(paper);
    const both: RenderInput = { url };
    both.pdf = true;
    item(both);
    const one: BatchItemInput = { url };
    one.pdf = true;
    item(one);
    const signed: SignableInput = { url };
    signed.fullPage = true;
    sign(signed);
    const page: ScreenshotCapture = { html: "<h1>Hello</h1>" };
    page.html = undefined;
    page.url = url;
    screenshot(page);
  });

  it("are assignable to more general ones, but not the reverse", () => {
    expectTypeOf<ScreenshotInput>().toExtend<RenderInput>();
    expectTypeOf<PdfInput & { readonly pdf: true }>().toExtend<RenderInput>();
    expectTypeOf<BatchItemInput>().toExtend<RenderInput>();
    expectTypeOf<SignableInput>().toExtend<RenderInput>();
    expectTypeOf<ScreenshotInput>().toExtend<ScreenshotCapture>();
    expectTypeOf<PdfInput>().toExtend<PdfCapture>();
    expectTypeOf<RenderInput>().not.toExtend<BatchItemInput>();
    expectTypeOf<RenderInput>().not.toExtend<SignableInput>();
    expectTypeOf<ScreenshotInput>().not.toExtend<PdfInput>();
  });
});

describe("the argument of signUrl()", () => {
  it("has no secrets, in either mode", () => {
    sign({ url, fullPage: true });
    sign({ url, pdf: true, landscape: true });
    // @ts-expect-error -- secret
    sign({ url, headers: { "x-preview": "s3cr3t" } });
    // @ts-expect-error -- secret
    sign({ url, cookies: [{ name: "session", value: "s3cr3t" }] });
    // @ts-expect-error -- secret
    sign({ url, pdf: true, basicAuth: "ada:s3cr3t" });
  });
});
