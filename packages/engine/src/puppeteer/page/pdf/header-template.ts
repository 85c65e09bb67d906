import type { PdfParameters } from "@snap/protocol";
import type { Protocol } from "puppeteer";
import type { PrintLayout } from "./print-layout.ts";

/** Centers headers and footers in their margins. If they are taller, they stay on the paper and cover the content. */
const PLACEMENT_STYLE =
  "<style>#header,#footer{padding:0}#header{align-items:start}#footer{align-items:end}" +
  "#header>div,#footer>div{min-height:100%;align-content:center}</style>";

type Templates = Pick<
  Protocol.Page.PrintToPDFRequest,
  "displayHeaderFooter" | "headerTemplate" | "footerTemplate"
>;

/** Returns the options that make Chromium print the header and the footer; none if there is neither. */
export function headerTemplates(
  { headerHtml, footerHtml }: PdfParameters,
  { marginLeft, marginRight }: PrintLayout,
): Templates {
  if (headerHtml === undefined && footerHtml === undefined) return {};
  const style = `flex:1;min-width:0;box-sizing:border-box;padding:0 ${marginRight}in 0 ${marginLeft}in;font:9pt/1.2 sans-serif;color:black;print-color-adjust:exact`;
  // without a template, Chromium prints its own
  const wrap = (html = ""): string => `${PLACEMENT_STYLE}<div style="${style}">${html}</div>`;
  return { displayHeaderFooter: true, headerTemplate: wrap(headerHtml), footerTemplate: wrap(footerHtml) };
}
