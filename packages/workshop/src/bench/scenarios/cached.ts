import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fetchExpecting } from "../fetch-expecting.ts";
import { newJob } from "../jobs.ts";
import { startLoadGenerator } from "../load-generator.ts";
import { cpuSeconds, readTree } from "../process-tree.ts";
import type { LoadOrder } from "../programs/load-generator.ts";
import { rounded } from "../report/table.ts";
import type { Scenario } from "../scenario.ts";
import { startService, type BenchedService } from "../service.ts";
import { startProgram } from "../start-program.ts";
import { median, medianRatio } from "../statistics.ts";

const CONNECTIONS = 16;
/** An account may have 300 cached answers a minute, and each is asked once more to warm up. */
const ANSWERS_PER_ACCOUNT = 250;

/** A server under load, and what its rounds told. */
interface Side {
  readonly pid: number;
  readonly order: (round: number) => LoadOrder;
  readonly perSecond: number[];
  readonly serverMicroseconds: number[];
  readonly ownMicroseconds: number[];
}

export const cached: Scenario = {
  name: "cached",
  title: "Answers from the cache",
  about: `A PNG of the long article from the cache, and a 304 for it, beside a bare Express 5 handler that sends the same bytes with a known entity tag, with one that Express computes for each answer, or nothing; ${CONNECTIONS} kept connections, from a process that sends prepared requests.`,
  async run(bench) {
    const rounds = bench.quick ? 3 : 8;
    const accountsPerRound = bench.quick ? 6 : 20;
    const answers = accountsPerRound * ANSWERS_PER_ACCOUNT;
    const service = await startService(bench, { accounts: (rounds + 1) * accountsPerRound });
    const job = newJob(bench.siteOrigin, "article");
    const { body, headers } = await fetchExpecting(200, service.snapUrl(job), service.bearers[0]);
    copyToEveryAccount(service);
    for (const bearer of service.bearers) await fetchExpecting(200, service.snapUrl(job), bearer);
    const picture = join(bench.scratch, "picture.png");
    await writeFile(picture, body);
    const bare = await startProgram(join(import.meta.dirname, "../programs/bare-server.ts"), [picture]);

    const generator = startLoadGenerator();
    const { pathname, search, port } = new URL(service.snapUrl(job));
    const load = { connections: CONNECTIONS, answers };
    const ofOurs = { ...load, port: Number(port), path: pathname + search };
    const ofBare = { ...load, port: Number(bare.line), headers: [{}] };
    const bearersOf = (round: number) =>
      service.bearers.slice(round * accountsPerRound, (round + 1) * accountsPerRound);
    const sides = [
      newSide(service.pid, (round) => ({ ...ofOurs, status: 200, headers: bearersOf(round) })),
      newSide(bare.pid, () => ({ ...ofBare, status: 200, path: "/picture" })),
      newSide(bare.pid, () => ({ ...ofBare, status: 200, path: "/known/picture" })),
      newSide(service.pid, (round) => ({
        ...ofOurs,
        status: 304,
        headers: bearersOf(round).map((bearer) =>
          Object.assign({ "if-none-match": headers.etag ?? "" }, bearer),
        ),
      })),
      newSide(bare.pid, () => ({ ...ofBare, status: 304, path: "/not-modified" })),
    ] as const;
    for (let round = 0; round <= rounds; round += 1)
      for (const pair of [sides.slice(0, 3), sides.slice(3)])
        for (const side of round % 2 === 0 ? pair : pair.toReversed())
          await measureRound(generator, side, round);
    generator.stop();
    await Promise.all([service.stop(), bare.stop()]);
    return report(sides, Math.round(body.length / 1000));
  },
};

function newSide(pid: number, order: Side["order"]): Side {
  return { pid, order, perSecond: [], serverMicroseconds: [], ownMicroseconds: [] };
}

/** The first round only warms up. */
async function measureRound(
  generator: ReturnType<typeof startLoadGenerator>,
  side: Side,
  round: number,
): Promise<void> {
  const order = side.order(round);
  const before = cpuSeconds(readTree(side.pid));
  const { wallMs, ownCpuMs } = await generator.run(order);
  const spent = cpuSeconds(readTree(side.pid)) - before;
  if (round === 0) return;
  side.perSecond.push((order.answers * 1000) / wallMs);
  side.serverMicroseconds.push((spent * 1e6) / order.answers);
  side.ownMicroseconds.push((ownCpuMs * 1000) / order.answers);
}

/** As if each of them had had it rendered. */
function copyToEveryAccount({ dataDir }: BenchedService): void {
  const database = new DatabaseSync(join(dataDir, "snap.db"), { timeout: 5000 });
  database.exec(`INSERT INTO renderings (account_id, key, content_type, target_status, notes, etag, stored_at, expires_at, bytes)
    SELECT accounts.id, key, content_type, target_status, notes, etag, stored_at, expires_at, bytes
    FROM renderings JOIN accounts ON accounts.id <> account_id`);
  database.close();
}

function report(
  [picture, barePicture, knownPicture, unchanged, bareUnchanged]: readonly [Side, Side, Side, Side, Side],
  kilobytes: number,
): Awaited<ReturnType<Scenario["run"]>> {
  const figure = (name: string, ours: Side, theirs: Side, atLeast: number) => ({
    name,
    value: medianRatio(ours.perSecond, theirs.perSecond),
    target: { atLeast },
  });
  const row = (name: string, side: Side, theirs: Side): string[] => [
    name,
    rounded(median(side.perSecond)),
    rounded(median(side.serverMicroseconds)),
    rounded(median(side.ownMicroseconds)),
    rounded(medianRatio(side.perSecond, theirs.perSecond)),
    rounded(medianRatio(theirs.serverMicroseconds, side.serverMicroseconds)),
  ];
  return {
    figures: [
      figure(
        "cached answers/s over an Express 5 handler that sends a buffer with a known tag",
        picture,
        knownPicture,
        0.6,
      ),
      figure("304 answers/s over a bare Express 5 handler", unchanged, bareUnchanged, 0.4),
    ],
    tables: [
      {
        columns: [
          "answer",
          "answers/s",
          "server CPU µs each",
          "generator CPU µs each",
          "answers/s over bare",
          "bare's CPU over its",
        ],
        rows: [
          row(`bare Express 5, ${kilobytes} kB, computed tag`, barePicture, knownPicture),
          row(`bare Express 5, ${kilobytes} kB, known tag`, knownPicture, knownPicture),
          row(`snap, ${kilobytes} kB`, picture, knownPicture),
          row("bare Express 5, 304", bareUnchanged, bareUnchanged),
          row("snap, 304", unchanged, bareUnchanged),
        ],
      },
    ],
  };
}
