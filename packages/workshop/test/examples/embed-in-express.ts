import { listen } from "./listen.ts";
import { servePage } from "./serve-page.ts";
import { signUrl } from "@snap/client";
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp, openEngine } from "../../../../examples/embed-in-express/main.ts";

const page = await servePage();
const directory = await mkdtemp(join(tmpdir(), "previews-"));
const engine = await openEngine({ directory, secretKey: "a key for this check", allowTargets: page.host });
const app = await listen(createServer(await createApp(engine)));
const preview = async (query: string): Promise<Response> => fetch(`${app.origin}/preview?${query}`);

const image = await preview(`url=${encodeURIComponent(page.origin)}`);
assert.equal(image.status, 200);
assert.equal(image.headers.get("Content-Type"), "image/png");
const bytes = Buffer.from(await image.arrayBuffer());
assert.equal(bytes.toString("latin1", 1, 4), "PNG");
assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1200, 630]);

const again = await preview(`url=${encodeURIComponent(page.origin)}`);
assert.equal(again.headers.get("ETag"), image.headers.get("ETag"));
assert.deepEqual(Buffer.from(await again.arrayBuffer()), bytes);

for (const [query, status, code] of [
  ["", 422, "invalid_url"],
  ["url=http://169.254.169.254/", 422, "blocked_host"],
] as const) {
  const rejected = await preview(query);
  assert.deepEqual([rejected.status, ((await rejected.json()) as { code: string }).code], [status, code]);
}

const { id: accountId } = await engine.accounts.create({
  email: "ada@example.com",
  planSlug: "starter",
  verified: true,
});
const { record, signingSecret } = await engine.tokens.create({ accountId });
const signed = signUrl(
  { url: page.origin },
  { baseUrl: `${app.origin}/v1`, tokenId: record.id, signingSecret, expires: new Date(Date.now() + 60_500) },
);
const embedded = await fetch(signed);
assert.deepEqual([embedded.status, embedded.headers.get("Content-Type")], [200, "image/png"]);
assert.match(embedded.headers.get("Cache-Control") ?? "", /^public, max-age=([1-5]?\d|60)$/);
const changed = await fetch(`${signed}&width=10`);
assert.deepEqual(
  [changed.status, ((await changed.json()) as { code: string }).code],
  [403, "invalid_signature"],
);

await app.close();
await engine.close();
await page.close();
await rm(directory, { recursive: true });
console.log(
  "embed-in-express: renders a page, returns the same image again, blocks private hosts, and serves signed URLs",
);
