import {
  createClient,
  type BatchInput,
  type BatchItemInput,
  type BytesRendering,
  type PdfInput,
  type RenderBatch,
  type RenderInput,
  type ScreenshotCapture,
  type ScreenshotInput,
} from "@snap/client";

/* A program whose parameters come from a form. packages/workshop/test/packed-client.test.ts compiles it with users' compiler options. */

/** The values of the form's fields; an empty field is `undefined`. */
export interface Fields {
  readonly url: string;
  readonly format: "png" | "jpeg" | "webp" | undefined;
  readonly quality: number | undefined;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly fullPage: boolean;
  readonly selector: string | undefined;
  readonly cacheTtl: number | undefined;
  readonly html?: string;
  readonly pdf: boolean | undefined;
  readonly landscape?: boolean | undefined;
}

const snap = createClient({ baseUrl: "https://snap.example.com/v1", token: "7|s3cret" });

export async function render(fields: Fields): Promise<BytesRendering> {
  const { url, format, quality, fullPage, selector, width, height, landscape } = fields;
  if (fields.pdf === true) return snap.pdf({ url, landscape, width, height });
  if (format === "jpeg") return snap.screenshot({ url, format, quality: quality ?? 80 });
  return snap.screenshot({ url, format, quality, fullPage, selector, width, height });
}

/** Builds the parameters step by step. */
export async function renderInSteps(fields: Fields): Promise<BytesRendering> {
  const parameters: ScreenshotInput = { url: fields.url };
  parameters.width = 800;
  parameters.height = fields.height ?? 600;
  if (fields.fullPage) parameters.fullPage = true;
  else parameters.selector = fields.selector;
  const { html } = fields;
  const page: ScreenshotCapture = html === undefined ? parameters : { ...parameters, url: undefined, html };
  const paper: PdfInput = { url: fields.url };
  paper.landscape = fields.landscape;
  await snap.pdf(paper);
  return snap.screenshot(page);
}

export async function submit(rows: readonly Fields[], webhookUrl?: string): Promise<readonly RenderBatch[]> {
  const items = rows.map(({ url, format, quality, pdf, cacheTtl }) => ({
    url,
    format,
    quality,
    pdf,
    cacheTtl,
  }));
  const typed: BatchItemInput[] = rows.map(({ url }) => ({ url }));
  for (const item of typed) item.pdf = true;
  const inputs: RenderInput[] = [...items, ...typed];
  const batch: BatchInput = { items: typed, webhookUrl };
  return [
    await snap.batches.submit({ items, webhookUrl }),
    await snap.batches.submit({ items: [{ url: "https://example.com/", pdf: rows[0]?.pdf }, ...inputs] }),
    await snap.batches.submit(batch),
  ];
}

export const link = ({ url, pdf, format }: Fields): string => snap.signUrl({ url, pdf, format });
