import { createClient, isSnapError } from "@snap/client";
import { servePage } from "./serve-page.ts";
import { startSnap } from "./start-snap.ts";
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { collectPages } from "../../../../examples/collect-a-batch/main.ts";

const page = await servePage();
const service = await startSnap({ allowTargets: page.host });
const snap = createClient({ baseUrl: service.baseUrl, token: service.token });
const folder = await mkdtemp(join(tmpdir(), "collected-"));

const pages = ["a", "b", "c"].map((name) => `${page.origin}/${name}`);
// a name that never resolves (RFC 6761, 6.4)
const missing = "http://nowhere.invalid/";
const failed = await collectPages(snap, [...pages, missing], folder);
assert.deepEqual(
  failed.map(({ url, error, credit_cost }) => [url, error?.code, credit_cost]),
  [[missing, "target_unreachable", 0]],
);
const files = await readdir(folder);
assert.equal(files.length, 3);
for (const file of files) assert.match(await readFile(join(folder, file), "latin1"), /^RIFF.{4}WEBP/s);
assert.deepEqual((await snap.usage()).credits, { remaining: 7, used: 3, total: 10 });

await assert.rejects(collectPages(snap, [pages[0] ?? "", "example.com"], folder), (error) => {
  assert(isSnapError(error));
  assert.deepEqual(Object.keys(error.errors ?? {}), ["items.1.url"]);
  return true;
});

await service.stop();
await page.close();
await rm(folder, { recursive: true });
console.log("collect-a-batch: saves three images, reports a failed item, rejects an invalid batch");
