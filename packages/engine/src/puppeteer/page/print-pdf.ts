import { paperSizeInches, UNITS_PER_INCH, type PdfParameters } from "@snap/protocol";
import { SnapError } from "../../errors.ts";
import { renderingTooLarge } from "../../rendering-limit.ts";
import { abortable } from "../../timeouts.ts";
import { ByteCollector } from "../browser/byte-collector.ts";
import type { Tab } from "./tab.ts";

/** Each part of the file arrives in one message. */
const PART_BYTES = 1024 * 1024;

/**
 * Prints the page with its backgrounds.
 *
 * @throws SnapError `render_failed` if the PDF is larger than `maxBytes`.
 */
export async function printPdf(
  { session }: Tab,
  { parameters, maxBytes }: { readonly parameters: PdfParameters; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const paper = paperSizeInches(parameters);
  const margin = (length = 0): number => length / UNITS_PER_INCH[parameters.marginUnit];
  const printed = session.send("Page.printToPDF", {
    paperWidth: paper.width,
    paperHeight: paper.height,
    marginTop: margin(parameters.marginTop),
    marginRight: margin(parameters.marginRight),
    marginBottom: margin(parameters.marginBottom),
    marginLeft: margin(parameters.marginLeft),
    scale: parameters.scale,
    printBackground: true,
    preferCSSPageSize: false,
    transferMode: "ReturnAsStream",
  });
  const { stream: handle = "" } = await abortable(signal, printed);
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
  const bytes = file.finish();
  if (bytes.length === 0) throw new SnapError("render_failed", "The browser returned an empty PDF.");
  return bytes;
}
