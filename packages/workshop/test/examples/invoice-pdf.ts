import { createClient } from "@snap/client";
import assert from "node:assert/strict";
import { readPdf } from "../../../engine/test/puppeteer/read-pdf.ts";
import { renderInvoice } from "../../../../examples/invoice-pdf/main.ts";
import { startSnap } from "./start-snap.ts";

const service = await startSnap({ allowTargets: "" });
const snap = createClient({ baseUrl: service.baseUrl, token: service.token });
const lines = Array.from({ length: 157 }, (_, index) => ({
  description: `Shelf <${index + 1}> & "brackets"`,
  quantity: 1,
  cents: 100,
}));
const invoice = { number: "2026-0042", date: "2026-11-23", customer: ["Ada", "London"], lines };
const { pages, information } = await readPdf(await renderInvoice(snap, invoice));

const texts = pages.map((page) =>
  page.textItems
    .map(({ text }) => text)
    .join(" ")
    .replaceAll(/\s+/g, " "),
);
assert.equal(pages.length, 7);
for (const [index, text] of texts.entries()) {
  assert.match(text, new RegExp(`\\b${index + 1} ?/ ?7\\b`), "the footer numbers the pages");
  assert.match(text, /Description Quantity Price Amount/, "each page has the table's header");
  assert.match(text, /Invoice 2026-0042/);
}
const end = texts.findIndex((text) => text.includes("Total"));
for (const part of [`Shelf <157> & "brackets"`, "Net £157.00", "VAT 20% £31.40", "Total £188.40"])
  assert.ok(texts[end]?.includes(part), `${part} is on the page with the total`);
assert.deepEqual(pages[0]?.roles.filter((role) => role === "Table").length, 1);
assert.equal(information["Title"], "Invoice 2026-0042");
// the same invoice costs nothing the second time
await renderInvoice(snap, invoice);
assert.equal((await snap.usage()).credits.used, 1);

await service.stop();
console.log("invoice-pdf: seven numbered pages, with the totals on the same page as the last line");
