import { createInterface } from "node:readline";
import { openSqliteStorage } from "../src/index.ts";

/*
 * A second process on a storage. It waits for a line on its input, so that several start at once,
 * then does its task; `churn` goes on until it is killed. Prints what has been answered.
 */
const [task = "", filename = "", name = ""] = process.argv.slice(2);
const look = { accountId: "acct_1", period: { startedAt: 0, resetsAt: 2_000_000 }, granted: 1_000_000 };

async function spend(): Promise<void> {
  const storage = await openSqliteStorage({ filename, busyTimeoutMs: 20_000 });
  let reserved = 0;
  let allowed = 0;
  for (let index = 0; index < 50; index += 1) {
    const reservationId = `${name}-${index}`;
    const outcome = await storage.ledger.reserve({
      ...look,
      granted: 70,
      reservationId,
      now: 1,
      lapsesAt: 1000,
    });
    if (outcome.reserved) reserved += 1;
    const request = { accountId: "acct_1", budget: "render", limit: 60, windowMs: 1000, now: 1 } as const;
    if ((await storage.budgets.spend(request)).allowed) allowed += 1;
  }
  await storage.close();
  process.stdout.write(`${reserved} ${allowed}\n`);
}

async function churn(): Promise<void> {
  const storage = await openSqliteStorage({ filename, busyTimeoutMs: 20_000 });
  for (let index = 0; ; index += 1) {
    const reservationId = `${name}-${index}`;
    await storage.ledger.reserve({ ...look, reservationId, now: index, lapsesAt: index + 1_000_000 });
    const rendering = {
      bytes: new Uint8Array(20_000).fill(index),
      contentType: "image/png",
      targetStatus: 200,
      notes: [],
      etag: `"${index % 256}"`,
      storedAt: 1,
      expiresAt: 1000,
    } as const;
    await storage.renderings.put({ accountId: "acct_1", key: `${index % 10}`, rendering });
    const end = index % 2 === 0 ? "settle" : "refund";
    const resolution = await storage.ledger[end]({ reservationId, now: index });
    process.stdout.write(`${reservationId} ${resolution}\n`);
  }
}

process.stdout.write("ready\n");
for await (const _ of createInterface({ input: process.stdin })) break;
await (task === "spend" ? spend() : churn());
process.exit();
