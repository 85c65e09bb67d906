import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sendLoad, type Load } from "../lean-load.ts";
import { median, medianRatio } from "../measure.ts";
import { cpuSeconds, startProgram } from "../processes.ts";
import { rounded } from "../report.ts";
import { atLeast, type Scenario } from "../scenario.ts";
import { fetchExpecting, startService, type RequestHeaders } from "../service.ts";
import { newJob } from "../ways/way.ts";

const CONNECTIONS = 16;
/** An account may have 300 cached responses a minute, and each is requested once more to warm up. */
const RESPONSES_PER_ACCOUNT = 250;

/** A server under load, and what its rounds showed. */
interface Side {
  readonly title: string;
  readonly pid: number;
  readonly load: (round: number) => Pick<Load, "port" | "path" | "headers" | "status">;
  readonly perSecond: number[];
  readonly serverMicroseconds: number[];
}

export const cached: Scenario = {
  name: "cached",
  title: "Responses from the cache",
  about: `A PNG of the long article from the cache, and a 304 for it, beside a bare Express 5 handler that sends the same bytes with a known entity tag, or nothing; ${CONNECTIONS} kept connections, from a process that sends prepared requests.`,
  async run(bench) {
    const rounds = bench.quick ? 3 : 8;
    const perRound = bench.quick ? 6 : 20;
    const service = await startService(bench, { accounts: (rounds + 1) * perRound });
    const job = newJob(bench.siteOrigin, "article");
    const { body, headers } = await fetchExpecting(200, service.snapUrl(job), service.bearers[0]);
    copyToEveryAccount(service.dataDir);
    for (const bearer of service.bearers) await fetchExpecting(200, service.snapUrl(job), bearer);
    const picture = join(bench.scratch, "picture.png");
    await writeFile(picture, body);
    const bare = await startProgram(join(import.meta.dirname, "../site/bare-server.ts"), [picture]);

    const { pathname, search } = new URL(service.snapUrl(job));
    const ofOurs = (title: string, status: number, more: RequestHeaders = {}): Side =>
      newSide(title, service.pid, (round) => {
        const bearers = service.bearers.slice(round * perRound, (round + 1) * perRound);
        const { port } = service;
        return {
          port,
          path: pathname + search,
          status,
          headers: bearers.map((bearer) => Object.assign({}, bearer, more)),
        };
      });
    const ofBare = (title: string, status: number, path: string): Side =>
      newSide(title, bare.pid, () => ({ port: Number(bare.line), path, status, headers: [{}] }));
    const size = `${Math.round(body.length / 1000)} kB`;
    const pictures = [ofBare(`bare Express 5, ${size}`, 200, "/picture"), ofOurs(`snap, ${size}`, 200)];
    const unchanged = [
      ofBare("bare Express 5, 304", 304, "/not-modified"),
      ofOurs("snap, 304", 304, { "if-none-match": headers.get("etag") ?? "" }),
    ];
    const responses = perRound * RESPONSES_PER_ACCOUNT;
    for (let round = 0; round <= rounds; round += 1)
      for (const sides of [pictures, unchanged])
        for (const side of round % 2 === 0 ? sides : sides.toReversed())
          await measure(side, round, responses);
    await Promise.all([service.stop(), bare.stop()]);
    return {
      figures: [
        atLeast(
          0.6,
          "cached answers/s over an Express 5 handler that sends a buffer with a known tag",
          ratioOf(pictures),
        ),
        atLeast(0.4, "304 answers/s over a bare Express 5 handler", ratioOf(unchanged)),
      ],
      tables: [{ rows: [pictures, unchanged].flatMap(rowsOf) }],
    };
  },
};

function newSide(title: string, pid: number, load: Side["load"]): Side {
  return { title, pid, load, perSecond: [], serverMicroseconds: [] };
}

/** The first round only warms up. */
async function measure(side: Side, round: number, responses: number): Promise<void> {
  const before = cpuSeconds(side.pid);
  const wallMs = await sendLoad({ ...side.load(round), connections: CONNECTIONS, responses });
  const spent = cpuSeconds(side.pid) - before;
  if (round === 0) return;
  side.perSecond.push((responses * 1000) / wallMs);
  side.serverMicroseconds.push((spent * 1e6) / responses);
}

/** As if each of them had had it rendered. */
function copyToEveryAccount(dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, "snap.db"), { timeout: 5000 });
  database.exec(`INSERT INTO renderings (account_id, key, content_type, target_status, notes, etag, stored_at, expires_at, bytes)
    SELECT accounts.id, key, content_type, target_status, notes, etag, stored_at, expires_at, bytes
    FROM renderings JOIN accounts ON accounts.id <> account_id`);
  database.close();
}

/** Of the last side, ours, over the first, which is bare. */
function ratioOf(sides: readonly Side[]): number {
  return medianRatio(sides.at(-1)?.perSecond ?? [], sides[0]?.perSecond ?? []);
}

function rowsOf(sides: readonly Side[]): Record<string, string>[] {
  const [bare] = sides;
  return sides.map((side) => ({
    response: side.title,
    "responses/s": rounded(median(side.perSecond)),
    "server CPU µs each": rounded(median(side.serverMicroseconds)),
    "responses/s over bare": rounded(medianRatio(side.perSecond, bare?.perSecond ?? [])),
    "bare's CPU over its": rounded(medianRatio(bare?.serverMicroseconds ?? [], side.serverMicroseconds)),
  }));
}
