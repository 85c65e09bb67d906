// @module-tag browser

import { createPuppeteerRenderer } from "@snap/engine/puppeteer";
import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { serve } from "./service.ts";

/* Content and documents with the real server, in a real browser. */

const SIZE = { width: 200, height: 100 } as const;
const logo = readFileSync(new URL("../../engine/test/fixtures/document/images/dots.png", import.meta.url));

it("html, markdown and a document of several files are rendered as sent", async () => {
  const renderer = createPuppeteerRenderer();
  onTestFinished(() => renderer.close());
  const snap = await (await serve(renderer)).client();

  const { bytes: green } = await snap.screenshot({ html: "<body style='background: #16794c'>", ...SIZE });
  const { bytes: white } = await snap.screenshot({ html: "<body>", ...SIZE });
  expect(green).not.toEqual(white);
  const html = "<script>if (isSecureContext) document.write('<body style=\"background:#16794c\">')</script>";
  const fromHtml = await snap.screenshot({ html, ...SIZE });
  expect(fromHtml).toMatchObject({ cache: "miss", targetStatus: 200 });
  expect(fromHtml.bytes).toEqual(green);
  expect((await snap.screenshot({ html, ...SIZE })).cache).toBe("hit");

  const markdown = "<style>:root { background: #16794c }</style>";
  const fromMarkdown = await snap.screenshot({ markdown, ...SIZE });
  expect(fromMarkdown.bytes).toEqual(green);

  const files = {
    "index.html":
      "<link rel=stylesheet href=style.css><img src=/images/logo.png onload='document.body.id=1'>",
    "style.css": "img { display: none } body[id='1'] { background: #16794c }",
    "images/logo.png": logo,
  };
  const { url } = await snap.documents.create({ files });
  const fromFiles = await snap.screenshot({ url, ...SIZE });
  expect(fromFiles.bytes).toEqual(green);
  const embedded = await fetch(snap.signUrl({ url, ...SIZE }));
  expect(new Uint8Array(await embedded.arrayBuffer())).toEqual(fromFiles.bytes);

  const batch = await snap.batches.submit({ items: [{ url, pdf: true }] });
  const complete = await snap.batches.wait(batch, { pollIntervalMs: 50 });
  expect(complete.items).toMatchObject([{ url, status: "done", credit_cost: 1 }]);
});
