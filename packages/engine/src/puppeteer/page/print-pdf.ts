import { paperSizeInches, UNITS_PER_INCH, type PdfParameters } from "@snap/protocol";
import { SnapError } from "../../errors.ts";
import { abortable } from "../../timeouts.ts";
import type { Tab } from "./tab.ts";

/** Prints the page with its backgrounds. */
export async function printPdf(
  { session }: Tab,
  parameters: PdfParameters,
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
  });
  const { data } = await abortable(signal, printed);
  const bytes = Buffer.from(data, "base64");
  if (bytes.length === 0) throw new SnapError("render_failed", "The browser returned an empty PDF.");
  return bytes;
}
