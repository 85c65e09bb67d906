import type { Storage } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { compare, timed, type Round } from "../compare.ts";
import { SUBJECTS, type Subject } from "../growth/subjects.ts";
import { rounded } from "../report/table.ts";
import type { Bench, Scenario } from "../scenario.ts";

/** Prime, and far from a divisor of any count: the steps come by everything, in no order. */
const STRIDE = 7_368_787;

export const growth: Scenario = {
  name: "growth",
  title: "Growth",
  about:
    "The cost of one operation on an embedded storage that holds much, over one that holds little; in this process, one after the other, each on another of the things stored (off the queue, the one that is next). A stored rendering has 200 bytes here.",
  async run(bench) {
    const rows: string[][] = [];
    const figures = [];
    for (const subject of SUBJECTS) {
      const { name, stored, few, opsPerRound } = subject;
      const many = bench.quick ? subject.manyWhenQuick : subject.many;
      bench.say(`storing ${many} ${stored}`);
      const large = await openFilled(bench, subject, many);
      const small = await openFilled(bench, subject, few);
      bench.say(name);
      const { oursMs, theirsMs, timeRatio } = await compare(large.round, small.round, bench.quick ? 3 : 12);
      await large.remove();
      await small.remove();
      figures.push({
        name: `${name}, with ${amount(many)} ${stored} over ${amount(few)}`,
        value: timeRatio,
        target: { atMost: 1.2 },
      });
      rows.push([
        name,
        stored,
        `${rounded((theirsMs * 1000) / opsPerRound)} (${amount(few)})`,
        `${rounded((oursMs * 1000) / opsPerRound)} (${amount(many)})`,
        rounded(timeRatio),
      ]);
    }
    return {
      figures,
      tables: [{ columns: ["operation", "stored", "µs with few", "µs with many", "ratio"], rows }],
    };
  },
};

async function openFilled(
  { scratch }: Bench,
  { fill, open, opsPerRound }: Subject,
  count: number,
): Promise<{ readonly round: Round; readonly remove: () => Promise<void> }> {
  const directory = await mkdtemp(join(scratch, "growth-"));
  // Makes the tables.
  await (await openSqliteStorage({ directory })).close();
  const database = new DatabaseSync(join(directory, "snap.db"));
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN");
  fill(database, count);
  // Down to the disk: the first sync of what is measured would otherwise wait for a gigabyte of this.
  database.exec("COMMIT; PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  const storage: Storage = await openSqliteStorage({ directory });
  const operation = open(storage, count);
  let step = 0;
  return {
    round: timed(async () => {
      for (let op = 0; op < opsPerRound; op += 1) await operation((step++ * STRIDE) % count);
    }),
    async remove() {
      await storage.close();
      await rm(directory, { recursive: true });
    },
  };
}

function amount(count: number): string {
  return count.toLocaleString("en-US");
}
