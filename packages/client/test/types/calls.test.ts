import { describe, expectTypeOf, it } from "vitest";
import {
  createClient,
  isSnapError,
  type As,
  type BatchItem,
  type BytesRendering,
  type NotModified,
  type JsonRendering,
  type RenderOptions,
  type ResponseRendering,
  type SnapError,
  type StreamRendering,
} from "../../src/index.ts";
import { TOKEN } from "../raw-server.ts";

const PAGE = { url: "https://example.com/" } as const;
const { screenshot, pdf, batches, documents, signUrl } = createClient({
  baseUrl: "https://snap.example.com",
  token: TOKEN,
});

/* Checked by the compiler, never called. */
describe("types", () => {
  it("derive the result from `as`", () => {
    expectTypeOf(() => screenshot(PAGE)).returns.resolves.toEqualTypeOf<BytesRendering>();
    expectTypeOf(() => screenshot(PAGE, {})).returns.resolves.toEqualTypeOf<BytesRendering>();
    expectTypeOf(() => screenshot(PAGE, { as: "bytes" })).returns.resolves.toEqualTypeOf<BytesRendering>();
    expectTypeOf(() => pdf(PAGE, { as: "stream" })).returns.resolves.toEqualTypeOf<StreamRendering>();
    expectTypeOf(() =>
      pdf(PAGE, { as: "response", timeoutMs: 1 }),
    ).returns.resolves.toEqualTypeOf<ResponseRendering>();
    expectTypeOf((item: BatchItem) =>
      batches.download(item),
    ).returns.resolves.toEqualTypeOf<BytesRendering>();
    expectTypeOf((item: BatchItem) =>
      batches.download(item, { as: "stream" }),
    ).returns.resolves.toEqualTypeOf<StreamRendering>();
  });

  it("accept content in place of a url", () => {
    expectTypeOf(() =>
      screenshot({ html: "<h1>Hello</h1>", width: 1200, height: 630 }),
    ).returns.resolves.toEqualTypeOf<BytesRendering>();
    expectTypeOf(() =>
      pdf({ markdown: "# Hello", url: undefined, paperFormat: "a5" }, { as: "stream" }),
    ).returns.resolves.toEqualTypeOf<StreamRendering>();
  });

  it("include NotModified in the result only if an entity tag can be sent", () => {
    expectTypeOf(() => screenshot(PAGE, { ifNoneMatch: '"a"' })).returns.resolves.toEqualTypeOf<
      BytesRendering | NotModified
    >();
    expectTypeOf((etag: string | null | undefined) =>
      screenshot(PAGE, { ifNoneMatch: etag, as: "stream" }),
    ).returns.resolves.toEqualTypeOf<StreamRendering | NotModified>();
    expectTypeOf(() =>
      screenshot(PAGE, { ifNoneMatch: undefined }),
    ).returns.resolves.toEqualTypeOf<BytesRendering>();
  });

  it("make the result a union if the options are not literal", () => {
    expectTypeOf((options: RenderOptions) => screenshot(PAGE, options)).returns.resolves.toEqualTypeOf<
      BytesRendering | StreamRendering | ResponseRendering | JsonRendering | NotModified
    >();
    expectTypeOf((as: As) => screenshot(PAGE, { as })).returns.resolves.toEqualTypeOf<
      BytesRendering | StreamRendering | ResponseRendering | JsonRendering
    >();
  });

  it("reject invalid calls", () => {
    const mistakes = [
      // @ts-expect-error quality is for lossy formats
      () => screenshot({ ...PAGE, quality: 80 }),
      // @ts-expect-error fullPage excludes selector
      () => screenshot({ ...PAGE, fullPage: true, selector: "h1" }),
      // @ts-expect-error paperFormat is for PDFs
      () => screenshot({ ...PAGE, paperFormat: "a4" }),
      // @ts-expect-error fullPage is for screenshots
      () => pdf({ ...PAGE, fullPage: true }),
      // @ts-expect-error a PDF is not a screenshot
      () => screenshot({ ...PAGE, pdf: true }),
      // @ts-expect-error a page is a url or html
      () => screenshot({ ...PAGE, html: "<h1>Hello</h1>" }),
      // @ts-expect-error a page is html or markdown
      () => pdf({ html: "<h1>Hello</h1>", markdown: "# Hello" }),
      // @ts-expect-error a page is required
      () => pdf({ paperFormat: "a4" }),
      // @ts-expect-error an item needs a url
      () => batches.submit({ items: [{ html: "<h1>Hello</h1>" }] }),
      // @ts-expect-error a signed URL needs a url
      () => signUrl({ html: "<h1>Hello</h1>" }),
      // @ts-expect-error fullPage is for screenshots, even of content
      () => pdf({ html: "<h1>Hello</h1>", fullPage: true }),
      // @ts-expect-error a document is a page or files
      () => documents.create({ html: "<h1>Hello</h1>", files: {} }),
      // @ts-expect-error a file has text or bytes
      () => documents.create({ files: { "index.html": 7 } }),
      // @ts-expect-error a typo in the options
      () => screenshot(PAGE, { as: "stream", timoutMs: 5 }),
      // @ts-expect-error text is not a form
      () => screenshot(PAGE, { as: "text" }),
      // @ts-expect-error only files can be downloaded
      () => batches.download({} as BatchItem, { as: "json" }),
      // @ts-expect-error metadata has no bytes
      async () => (await screenshot(PAGE, { as: "json" })).bytes,
      // @ts-expect-error a stream has no bytes
      async () => (await screenshot(PAGE, { as: "stream" })).bytes,
      // @ts-expect-error the result may be NotModified
      async () => (await screenshot(PAGE, { ifNoneMatch: '"a"' })).bytes,
      // @ts-expect-error an item of PDF parameters needs pdf: true
      () => batches.submit({ items: [{ ...PAGE, paperFormat: "a4" }] }),
      // @ts-expect-error anyone can read a signed URL
      () => signUrl({ ...PAGE, basicAuth: "ada:s3cr3t" }),
      // @ts-expect-error anyone can read a signed URL
      () => signUrl({ ...PAGE, pdf: true, headers: { "X-Preview": "s3cr3t" } }),
      // @ts-expect-error expires is a Date or Unix seconds
      () => signUrl(PAGE, { expires: "2030-01-01" }),
    ];
    expectTypeOf(mistakes).toBeArray();
  });

  it("narrow a result by notModified, and an error by isSnapError", () => {
    async function bytesOf(): Promise<Uint8Array | null> {
      const result = await screenshot(PAGE, { ifNoneMatch: '"a"' });
      return result.notModified ? null : result.bytes;
    }
    expectTypeOf(bytesOf).returns.resolves.toEqualTypeOf<Uint8Array | null>();
    expectTypeOf(isSnapError).guards.toEqualTypeOf<SnapError>();
  });
});
