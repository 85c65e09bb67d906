import { listen } from "./listen.ts";
import { servePage } from "./serve-page.ts";
import { startSnap } from "./start-snap.ts";
import assert from "node:assert/strict";
import { createGallery } from "../../../../examples/signed-images/main.ts";

const page = await servePage();
const service = await startSnap({ allowTargets: page.host });
const { baseUrl, tokenId, signingSecret } = service;
const sites = [`${page.origin}/?a="1"&b=<2>`, `${page.origin}/größe`];
const gallery = await listen(createGallery({ baseUrl, tokenId, signingSecret, sites }));

const html = await (await fetch(gallery.origin)).text();
assert(!html.includes(signingSecret));
const sources = [...html.matchAll(/<img src="([^"]*)"/g)].map(([, src = ""]) => src.replaceAll("&amp;", "&"));
assert.equal(sources.length, 2);
for (const src of sources) {
  const image = await fetch(src);
  assert.equal(image.status, 200);
  assert.equal(image.headers.get("Content-Type"), "image/webp");
  assert.equal(Buffer.from(await image.arrayBuffer()).toString("latin1", 8, 12), "WEBP");
  assert.match(image.headers.get("Cache-Control") ?? "", /^public, max-age=\d+$/);
  assert.equal((await fetch(`${src}&fullPage=true`)).status, 403);
}
assert.equal(await (await fetch(gallery.origin)).text(), html);

await gallery.close();
await service.stop();
await page.close();
console.log("signed-images: all images of the page load, and modified URLs are rejected");
