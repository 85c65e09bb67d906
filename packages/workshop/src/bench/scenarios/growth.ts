import { openSqliteStorage } from "@snap/storage-sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { measureGrowth, type Filled } from "../growth/measure-growth.ts";
import { SUBJECTS, type Subject } from "../growth/subjects.ts";
import type { Scenario } from "../scenario.ts";

export const growth: Scenario = {
  name: "growth",
  title: "Growth",
  about:
    "The cost of one operation on an embedded storage that holds much, over one that holds little; in this process, one after the other, each on another of the things stored (off the queue, the one that is next). A stored rendering has 200 bytes here.",
  onlyFull: true,
  run: (bench) =>
    measureGrowth(bench, SUBJECTS, (subject, count) => openFilled(bench.scratch, subject, count)),
};

async function openFilled(scratch: string, { fill, open }: Subject, count: number): Promise<Filled> {
  const directory = await mkdtemp(join(scratch, "growth-"));
  // Makes the tables.
  await (await openSqliteStorage({ directory })).close();
  const database = new DatabaseSync(join(directory, "snap.db"));
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN");
  fill(database, count);
  // Down to the disk: the first sync of what is measured would otherwise wait for a gigabyte of this.
  database.exec("COMMIT; PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  const storage = await openSqliteStorage({ directory });
  return {
    operation: open(storage, count),
    async remove() {
      await storage.close();
      await rm(directory, { recursive: true });
    },
  };
}
