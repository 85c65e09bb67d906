import { createClient } from "@snap/client";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { readPdf } from "../../../engine/test/puppeteer/read-pdf.ts";
import { insertContents } from "../../../../examples/markdown-report/contents.ts";
import { renderReport } from "../../../../examples/markdown-report/main.ts";
import { startSnap } from "./start-snap.ts";

assert.equal(
  insertContents("# T\n\n[TOC]\n\n## A b!\n\n~~~\n## no\n~~~\n\n### Ä_c ###\n\n## A b\n"),
  "# T\n\n- [A b!](#a-b)\n  - [Ä_c](#%C3%A4_c)\n- [A b](#a-b-1)\n\n## A b!\n\n~~~\n## no\n~~~\n\n### Ä_c ###\n\n## A b\n",
);

const service = await startSnap({ allowTargets: "" });
const snap = createClient({ baseUrl: service.baseUrl, token: service.token });
const source = new URL("../../../../examples/markdown-report/report.md", import.meta.url);
const { pages, outline } = await readPdf(await renderReport(snap, await readFile(source, "utf8")));

const bookmark = (title: string, ...children: object[]): object => ({ title, children });
assert.deepEqual(outline, [
  bookmark(
    "Rainfall in 2026",
    bookmark("Summary"),
    bookmark("Method", bookmark("Gaps")),
    bookmark("Figures"),
  ),
]);
const texts = pages.map((page) =>
  page.textItems
    .map(({ text }) => text)
    .join(" ")
    .replaceAll(/\s+/g, " "),
);
assert.equal(pages.length, 4);
assert.match(texts[0] ?? "", /Measured at the station.*Summary.*Method.*Gaps.*Figures/);
assert.match(texts[3] ?? "", /Figures.*January.*sqlite3/);
for (const [index, text] of texts.entries()) {
  assert.match(text, /Rainfall in 2026/);
  assert.match(text, new RegExp(`\\b${index + 1} ?/ ?4\\b`));
}

await service.stop();
console.log("markdown-report: a table of contents, an outline and one section per page");
