import { createClient } from "@snap/client";
import { servePage } from "@snap/workshop/examples/serve-page";
import { startSnap } from "@snap/workshop/examples/start-snap";
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keepPage } from "./main.ts";

const page = await servePage();
const service = await startSnap({ allowTargets: page.host });
const snap = createClient({ baseUrl: service.baseUrl, token: service.token });
const folder = await mkdtemp(join(tmpdir(), "kept-"));
const url = `${page.origin}/`;

assert.equal(await keepPage(snap, url, folder), `kept ${url}, which answered 200`);
assert.deepEqual((await readdir(folder)).toSorted(), ["page.etag", "page.pdf", "page.png"]);
assert.match(await readFile(join(folder, "page.png"), "latin1"), /^\x89PNG/);
assert.match(await readFile(join(folder, "page.pdf"), "latin1"), /^%PDF-.*%%EOF\s*$/s);
assert.equal(await keepPage(snap, url, folder), `${url} looks as before`);

const blocked = await keepPage(snap, "http://169.254.169.254/", folder);
assert.match(blocked, /^skipped http:\/\/169\.254\.169\.254\/: .+ \(request [0-9a-f-]{36}\)$/);
assert.match(await keepPage(snap, "example.com", folder), /^failed, invalid_url: .+ \(request not sent\)$/);
const { credits } = await snap.usage();
assert.deepEqual(credits, { remaining: 7, used: 3, total: 10 });

await service.stop();
page.close();
await rm(folder, { recursive: true });
console.log("call-with-the-client: a picture and a PDF kept, one look without a change, failures told apart");
