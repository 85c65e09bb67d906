import type { PdfParameters } from "@snap/protocol";
import type { Protocol } from "puppeteer";
import { SnapError } from "../../errors.ts";
import { PAGES_UNMATCHED } from "../../ports/renderer.ts";
import { renderingTooLarge } from "../../rendering-limit.ts";
import { abortable } from "../../timeouts.ts";
import { ByteCollector } from "../browser/byte-collector.ts";
import { describe } from "../describe.ts";
import { MalformedPdf } from "./pdf/dictionary.ts";
import { informationUpdate } from "./pdf/document-information.ts";
import { headerTemplates } from "./pdf/header-template.ts";
import { countPages } from "./pdf/pdf-structure.ts";
import { printLayoutOf } from "./pdf/print-layout.ts";
import { printSinglePage } from "./pdf/print-single-page.ts";
import type { Tab } from "./tab.ts";

/** Each part of the file arrives in one message. */
const PART_BYTES = 1024 * 1024;

type PrintRequest = Protocol.Page.PrintToPDFRequest;

interface PrintTask {
  readonly parameters: PdfParameters;
  readonly maxBytes: number;
}

/**
 * Prints the page.
 *
 * @throws SnapError `render_failed` if the PDF is larger than `maxBytes` or empty, if `singlePage` or the document
 * information requires reading it and it is malformed, if the document has none of the requested pages, or if it does
 * not fit on one page with `singlePage`.
 */
export async function printPdf(
  tab: Tab,
  { parameters, maxBytes }: PrintTask,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly pages: number | null }> {
  const request = printRequest(parameters);
  const print = (values: Partial<PrintRequest>): Promise<ByteCollector> =>
    printOnce(tab, { request: { ...request, ...values }, maxBytes }, signal);
  try {
    const file = parameters.singlePage
      ? await printSinglePage(tab, { parameters, print }, signal)
      : await print({});
    const pages = pagesOf(file.view());
    const update = informationUpdate(file.view(), parameters);
    if (update !== null && !file.append(update.toString("base64"))) throw renderingTooLarge(maxBytes);
    return { bytes: file.finish(), pages };
  } catch (error) {
    throw error instanceof MalformedPdf ? unreadable(error) : error;
  }
}

/** Returns `null` if the browser's PDF does not have the expected structure. */
function pagesOf(bytes: Uint8Array): number | null {
  try {
    return countPages(bytes);
  } catch (error) {
    if (error instanceof MalformedPdf) return null;
    throw error;
  }
}

/** Contains only the parameters' values, without the browser's defaults. */
function printRequest(parameters: PdfParameters): PrintRequest {
  const layout = printLayoutOf(parameters);
  const { width, height, ...margins } = layout;
  const { scale, printBackground, cssPageSize, pageRanges, outline, tagged } = parameters;
  return {
    paperWidth: width,
    paperHeight: height,
    ...margins,
    scale,
    printBackground,
    preferCSSPageSize: cssPageSize,
    transferMode: "ReturnAsStream",
    ...headerTemplates(parameters, layout),
    ...(pageRanges !== undefined && { pageRanges }),
    // bookmarks are created from tagged headings
    ...(outline && { generateDocumentOutline: true }),
    ...((tagged || outline) && { generateTaggedPDF: true }),
  };
}

async function printOnce(
  { session }: Tab,
  { request, maxBytes }: { readonly request: PrintRequest; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<ByteCollector> {
  const response = session.send("Page.printToPDF", request);
  const { stream: handle = "" } = await abortable(signal, response).catch((error: unknown) => {
    throw explainPages(error);
  });
  const file = new ByteCollector(maxBytes);
  try {
    for (let isComplete = false; !isComplete;) {
      const part = await abortable(signal, session.send("IO.read", { handle, size: PART_BYTES }));
      if (!file.append(part.data)) throw renderingTooLarge(maxBytes);
      isComplete = part.eof;
    }
  } finally {
    session.send("IO.close", { handle }).catch(() => {}); // the page may have closed
  }
  if (file.view().length === 0) throw new SnapError("render_failed", "The browser returned an empty PDF.");
  return file;
}

/** Chromium fails if the first requested page does not exist; it cuts off ranges that end after the last page. */
function explainPages(error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.includes("Page range exceeds page count")) return error;
  return new SnapError(
    "render_failed",
    "The document has none of the pages in pageRanges. Send pages that it has, or leave out pageRanges.",
    { notes: [PAGES_UNMATCHED] },
  );
}

function unreadable(error: MalformedPdf): SnapError {
  return new SnapError(
    "render_failed",
    "The browser wrote the PDF in a form that the service cannot process. Leave out singlePage, pdfTitle, pdfAuthor, pdfSubject and pdfKeywords.",
    { detail: describe(error), cause: error },
  );
}
