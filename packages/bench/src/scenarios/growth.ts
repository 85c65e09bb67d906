import type { Storage } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SUBJECTS, type Subject } from "../growth/subjects.ts";
import { compare, timed, type Round } from "../measure.ts";
import { formatNumber } from "../report.ts";
import { atMost, type Figure, type Row, type Scenario } from "../scenario.ts";

/** A prime, so the steps visit every row, in scattered order. */
const STRIDE = 7_368_787;

/** A storage filled with rows. */
interface FilledStorage {
  readonly storage: Storage;
  readonly remove: () => Promise<void>;
}

export const growth: Scenario = {
  name: "growth",
  title: "Growth",
  about:
    "The time of one operation on embedded storage with many rows, relative to storage with few. The operations run sequentially in this process, on scattered rows or on the queue's next item. Each stored rendering is 200 bytes.",
  fullRunOnly: true,
  async run(bench) {
    const rows: Row[] = [];
    const figures: Figure[] = [];
    for (const subject of SUBJECTS) {
      const { name, unit, few, opsPerRound } = subject;
      const many = bench.quick ? subject.manyWhenQuick : subject.many;
      bench.log(`${name}, with ${many} ${unit}`);
      const large = await openFilled(bench.scratch, subject.fill(many));
      const small = await openFilled(bench.scratch, subject.fill(few));
      const { measuredMs, baselineMs, timeRatio } = await compare(
        roundOf(subject, large.storage, many),
        roundOf(subject, small.storage, few),
        bench.quick ? 3 : 8,
      );
      await large.remove();
      await small.remove();
      const amount = (count: number): string => count.toLocaleString("en-US");
      figures.push(
        atMost(1.2, `${name}, with ${amount(many)} ${unit} relative to ${amount(few)}`, timeRatio),
      );
      const micros = (ms: number, count: number): string =>
        `${formatNumber((ms * 1000) / opsPerRound)} (${amount(count)})`;
      rows.push({
        operation: name,
        stored: unit,
        "µs with few": micros(baselineMs, few),
        "µs with many": micros(measuredMs, many),
        ratio: formatNumber(timeRatio),
      });
    }
    return { figures, tables: [rows] };
  },
};

function roundOf({ createOperation, opsPerRound }: Subject, storage: Storage, count: number): Round {
  const operation = createOperation(storage);
  let step = 0;
  return timed(async () => {
    for (let op = 0; op < opsPerRound; op += 1) await operation((step++ * STRIDE) % count);
  });
}

async function openFilled(scratch: string, statements: readonly string[]): Promise<FilledStorage> {
  const directory = await mkdtemp(join(scratch, "growth-"));
  // Creates the tables.
  await (await openSqliteStorage({ directory })).close();
  const database = new DatabaseSync(join(directory, "snap.db"));
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN");
  for (const statement of statements) database.exec(statement);
  // Syncs to disk now; otherwise, the first measured sync would wait for a gigabyte of this data.
  database.exec("COMMIT; PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  const storage = await openSqliteStorage({ directory });
  return { storage, remove: () => storage.close().then(() => rm(directory, { recursive: true })) };
}
