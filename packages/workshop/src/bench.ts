import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createBatchRounds } from "./bench/batch-rounds.ts";
import { compare, inParallel, timed, type Round } from "./bench/compare.ts";
import { fetchExpecting } from "./bench/fetch-expecting.ts";
import { startProgram } from "./bench/start-program.ts";
import { PAGE } from "./bench/page.ts";
import { startRawBrowser } from "./bench/raw-browser.ts";
import { startService } from "./bench/service.ts";
import { buildPackages } from "./build-packages.ts";
import { widenPath } from "./machine/run.ts";

const PAIRS = 8;
const RENDERS_PER_ROUND = 12;
const RENDERS_AT_ONCE = 4;
// An account may have 300 cached answers a minute, so that each round has an account of its own.
const ANSWERS_PER_ROUND = 250;
const ANSWERS_AT_ONCE = 16;
const CAPTURES_PER_BATCH = 20;

widenPath();
await buildPackages();

const site = createServer((_request, answer) => answer.setHeader("content-type", "text/html").end(PAGE));
await once(site.listen(0, "127.0.0.1"), "listening");
const target = `127.0.0.1:${(site.address() as AddressInfo).port}`;
const scratch = await mkdtemp(join(tmpdir(), "snap-bench-"));
const raw = await startRawBrowser(`http://${target}/`);
const service = await startService({ accounts: PAIRS + 1, target, dataDir: join(scratch, "data") });
const [bearer = {}] = service.bearers;
const { body, etag } = await fetchExpecting(200, service.renderUrl, bearer);
for (const each of service.bearers) await fetchExpecting(200, service.renderUrl, each);
const picture = join(scratch, "picture.png");
await writeFile(picture, body);
const bare = await startProgram(join(import.meta.dirname, "bench/bare-server.ts"), [picture]);
const bareOrigin = `http://127.0.0.1:${bare.line}`;

const renderFresh = (): Promise<unknown> => fetchExpecting(200, `${service.renderUrl}&cache=0`, bearer);
const accounts = service.bearers.values();
const batchRounds = createBatchRounds(service, {
  pageUrl: `http://${target}/`,
  captures: CAPTURES_PER_BATCH,
});
const rows = [
  await measure("one render on an idle server", "raw protocol", 1, timed(renderFresh), timed(raw.render)),
  await measure(
    `renders, ${RENDERS_AT_ONCE} at once`,
    "raw protocol",
    RENDERS_PER_ROUND,
    timed(() => inParallel(RENDERS_PER_ROUND, RENDERS_AT_ONCE, renderFresh)),
    timed(() => inParallel(RENDERS_PER_ROUND, RENDERS_AT_ONCE, raw.render)),
  ),
  await measure(
    `cached answers of ${Math.round(body.length / 1000)} kB`,
    "bare Express 5",
    ANSWERS_PER_ROUND,
    timed(() => {
      const headers = accounts.next().value ?? bearer;
      return inParallel(ANSWERS_PER_ROUND, ANSWERS_AT_ONCE, () =>
        fetchExpecting(200, service.renderUrl, headers),
      );
    }),
    timed(() =>
      inParallel(ANSWERS_PER_ROUND, ANSWERS_AT_ONCE, () => fetchExpecting(200, `${bareOrigin}/picture`)),
    ),
  ),
  await measure(
    "304 from the cache",
    "bare Express 5",
    ANSWERS_PER_ROUND,
    timed(() => {
      const headers = { ...bearer, "if-none-match": etag };
      return inParallel(ANSWERS_PER_ROUND, ANSWERS_AT_ONCE, () =>
        fetchExpecting(304, service.renderUrl, headers),
      );
    }),
    timed(() =>
      inParallel(ANSWERS_PER_ROUND, ANSWERS_AT_ONCE, () => fetchExpecting(304, `${bareOrigin}/not-modified`)),
    ),
  ),
  await measure(
    `a batch of ${CAPTURES_PER_BATCH}`,
    `the same ${CAPTURES_PER_BATCH} sent at once`,
    CAPTURES_PER_BATCH,
    batchRounds.batch,
    batchRounds.atOnce,
  ),
];

console.log(`\n${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}, ${raw.version}`);
console.log(`medians of ${PAIRS} pairs, measured side by side; the client shares the machine with both`);
console.table(Object.fromEntries(rows));
service.stop();
bare.stop();
await raw.close();
site.close();
await rm(scratch, { recursive: true, force: true });

async function measure(
  name: string,
  against: string,
  piecesPerRound: number,
  ours: Round,
  theirs: Round,
): Promise<[string, object]> {
  console.log(`measuring ${name}`);
  const { oursMs, theirsMs, speedRatio } = await compare(ours, theirs, PAIRS);
  return [
    name,
    {
      "ms each": rounded(oursMs / piecesPerRound),
      "per second": rounded((piecesPerRound * 1000) / oursMs),
      against,
      "its per second": rounded((piecesPerRound * 1000) / theirsMs),
      ratio: rounded(speedRatio),
    },
  ];
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
