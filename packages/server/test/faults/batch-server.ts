import { createEngine, parseTargetList } from "@snap/engine";
import { createPuppeteerRenderer } from "@snap/engine/puppeteer";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { serveEngine } from "../http/serve-engine.ts";

/*
 * A server in a separate process, for tests that kill it: the embedded storage, real Chromium and a
 * worker. Leases of items are short, so tests do not wait long for those of a killed process to
 * expire.
 */
const [directory = "", port = "0", allowed = ""] = process.argv.slice(2);

const targets = { allow: parseTargetList(allowed), ownHostnames: [] };
const engine = createEngine({
  storage: await openSqliteStorage({ directory }),
  renderer: createPuppeteerRenderer({ targets }),
  secretKey: "a key for this test",
  targets,
  concurrency: 3,
  itemLeaseMs: 1500,
  webhookRetryDelaysMs: [500, 500, 500, 500, 500, 500, 500, 500],
  baseUrl: `http://127.0.0.1:${port}/v1`,
});
engine.startWorker();
const service = await serveEngine(engine, { port: Number(port), publicUrl: `http://127.0.0.1:${port}` });
process.stdout.write(`listening at ${service.origin}\n`);
