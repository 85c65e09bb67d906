import { createClient, type SnapClient } from "@snap/client";
import { readFile, writeFile } from "node:fs/promises";
import { insertContents } from "./contents.ts";

/**
 * Each section starts on a new page; the title and the table of contents are on the first page. The request's margins
 * replace the default style's padding.
 */
const CSS = "@media print { body { padding: 0 } h2 { break-before: page; margin-top: 0 } }";

/** Renders a report as a PDF. The report's first heading becomes the PDF's title. */
export async function renderReport(snap: SnapClient, markdown: string): Promise<Uint8Array> {
  const { bytes } = await snap.pdf({
    markdown: insertContents(markdown),
    css: CSS,
    marginTop: 25,
    marginRight: 20,
    marginBottom: 25,
    marginLeft: 20,
    headerHtml: '<span class="title"></span>',
    footerHtml: `<div style="text-align: right">
      <span class="pageNumber"></span> / <span class="totalPages"></span></div>`,
    outline: true,
  });
  return bytes;
}

if (import.meta.main) {
  const { SNAP_BASE_URL, SNAP_TOKEN } = process.env;
  const [source, target = "report.pdf"] = process.argv.slice(2);
  if (!SNAP_BASE_URL || !SNAP_TOKEN || !source) {
    console.error("Set SNAP_BASE_URL, such as http://127.0.0.1:3000/v1, and SNAP_TOKEN, then run:");
    console.error("node main.ts REPORT.md [FILE.pdf]");
    process.exit(1);
  }
  const snap = createClient();
  await writeFile(target, await renderReport(snap, await readFile(source, "utf8")));
}
