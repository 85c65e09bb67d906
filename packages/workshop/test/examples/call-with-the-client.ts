import { createClient } from "@snap/client";
import { servePage } from "./serve-page.ts";
import { startSnap } from "./start-snap.ts";
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { savePage } from "../../../../examples/call-with-the-client/main.ts";
import { run } from "../../src/machine/run.ts";
import { ROOT } from "../../src/workspace.ts";

const MAIN = join(ROOT, "examples/call-with-the-client/main.ts");

const page = await servePage();
const service = await startSnap({ allowTargets: page.host });
const snap = createClient({ baseUrl: service.baseUrl, token: service.token });
const folder = await mkdtemp(join(tmpdir(), "pages-"));
const url = `${page.origin}/`;

assert.equal(await savePage(snap, url, folder), `saved ${url}, which returned status 200`);
assert.deepEqual((await readdir(folder)).toSorted(), ["page.etag", "page.pdf", "page.png"]);
assert.match(await readFile(join(folder, "page.png"), "latin1"), /^\x89PNG/);
assert.match(await readFile(join(folder, "page.pdf"), "latin1"), /^%PDF-.*%%EOF\s*$/s);
assert.equal(await savePage(snap, url, folder), `${url} has not changed`);

for (const [failing, message] of [
  ["http://169.254.169.254/", /^skipped http:\/\/169\.254\.169\.254\/: .+ \(request [0-9a-f-]{36}\)$/],
  ["example.com", /^failed, invalid_url: example\.com: .+ \(request id unknown\)$/],
] as const) {
  const { ok, output } = await run(process.execPath, [MAIN, failing, folder], {
    env: { SNAP_BASE_URL: service.baseUrl, SNAP_TOKEN: service.token },
  });
  assert.match(output, message);
  assert.equal(ok, false);
}
const { credits } = await snap.usage();
assert.deepEqual(credits, { remaining: 7, used: 3, total: 10 });

await service.stop();
await page.close();
await rm(folder, { recursive: true });
console.log(
  "call-with-the-client: saves a screenshot and a PDF, detects an unchanged page, handles failures",
);
