import { createClient, type SnapClient } from "@snap/client";
import { readFile, writeFile } from "node:fs/promises";
import { FOOTER_HTML, headerHtml, invoiceHtml, SELLER, type Invoice } from "./invoice.ts";

const FONT = import.meta.resolve("@fontsource/lora/files/lora-latin-400-normal.woff2");

/** Renders an invoice as a PDF. Rendering the same invoice again is a free cache hit. */
export async function renderInvoice(snap: SnapClient, invoice: Invoice): Promise<Uint8Array> {
  const { bytes } = await snap.pdf({
    html: invoiceHtml(invoice, await readFile(new URL(FONT))),
    // the header and the footer are printed in these margins
    marginTop: 28,
    marginRight: 18,
    marginBottom: 22,
    marginLeft: 18,
    headerHtml: headerHtml(invoice),
    footerHtml: FOOTER_HTML,
    tagged: true,
    pdfTitle: `Invoice ${invoice.number}`,
    pdfAuthor: SELLER,
  });
  return bytes;
}

if (import.meta.main) {
  const { SNAP_BASE_URL, SNAP_TOKEN } = process.env;
  const [source, target = "invoice.pdf"] = process.argv.slice(2);
  if (!SNAP_BASE_URL || !SNAP_TOKEN || !source) {
    console.error("Set SNAP_BASE_URL, such as http://127.0.0.1:3000/v1, and SNAP_TOKEN, then run:");
    console.error("node main.ts INVOICE.json [FILE.pdf]");
    process.exit(1);
  }
  const snap = createClient();
  const invoice = JSON.parse(await readFile(source, "utf8")) as Invoice;
  await writeFile(target, await renderInvoice(snap, invoice));
}
