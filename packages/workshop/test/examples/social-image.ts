import { createClient } from "@snap/client";
import { PNG } from "pngjs";
import assert from "node:assert/strict";
import { createBlog } from "../../../../examples/social-image/main.ts";
import { listen } from "./listen.ts";
import { startSnap } from "./start-snap.ts";

const service = await startSnap({ allowTargets: "" });
const articles = {
  "/short": { title: `Cats & "dogs"`, author: "Ada" },
  "/long": { title: "What <I> learned from a year of measuring everything twice a day", author: "Zoë" },
};
const { baseUrl, token, signingSecret } = service;
const blog = await listen(createBlog(createClient({ baseUrl, token, signingSecret }), articles));

for (const path of Object.keys(articles)) {
  const html = await (await fetch(blog.origin + path)).text();
  assert(!html.includes(signingSecret) && !html.includes(token));
  const [, content = ""] = /property="og:image" content="([^"]*)"/.exec(html) ?? [];
  const source = content.replaceAll("&amp;", "&");
  const image = await fetch(source);
  assert.equal(image.headers.get("X-Cache"), "MISS");
  const { width, height, data } = PNG.sync.read(Buffer.from(await image.arrayBuffer()));
  assert.deepEqual([width, height], [1200, 630]);
  const reds = new Set(Array.from({ length: 1000 }, (_, index) => data[index * 3000]));
  assert(reds.size > 20, "the image has a gradient");
  assert.equal((await fetch(source)).headers.get("X-Cache"), "HIT");
  assert.equal((await fetch(source.replace("width=1200", "width=1201"))).status, 403);
  assert.equal(await (await fetch(`${blog.origin}${path}?fbclid=1`)).text(), html);
}

await blog.close();
await service.stop();
console.log("social-image: an image for each article, for anyone who has its URL");
