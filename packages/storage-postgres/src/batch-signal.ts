import type { QueueWatch } from "@snap/engine/ports";
import { setTimeout as wait } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import type { DatabaseOptions, Query } from "./database.ts";

/** Tells the workers of all machines that a batch was stored. */
export interface BatchSignal {
  /** Makes ready what `send` needs, outside of any transaction. */
  start(): Promise<void>;
  /** Sends the job within the caller's transaction: there is no batch without it, and none of a batch taken back. */
  send(query: Query, batchId: string): Promise<void>;
  watch(wake: () => void): Promise<QueueWatch>;
  close(): Promise<void>;
}

const QUEUE = "batches";
/** Of its own: pg-boss makes and migrates it. */
const SCHEMA = "snap_jobs";
const JOBS = {
  // Workers are told at once (NOTIFY, in the transaction), and look by themselves besides.
  notify: true,
  expireInSeconds: 60,
  retryLimit: 10,
  retryBackoff: true,
  deleteAfterSeconds: 3600,
  retentionSeconds: 24 * 3600,
} as const;
/** Jobs taken at a time: all that they say is "look". */
const BATCH_SIZE = 100;
const POLLING_INTERVAL_SECONDS = 2;
/** Its maintenance, its listener, its jobs. */
const MAX_CONNECTIONS = 2;
const STOP_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * The queue is the batches themselves, as they hold leases with fencing tokens and take turns between
 * accounts by the engine's clock. What pg-boss carries is the news: a job for each batch, retried until a
 * worker has taken it.
 */
export function createBatchSignal({
  url,
  onBackgroundError,
}: Pick<DatabaseOptions, "url" | "onBackgroundError">): BatchSignal {
  let starting: Promise<PgBoss> | null = null;
  const start = (): Promise<PgBoss> =>
    (starting ??= startBoss(url, onBackgroundError).catch((error: unknown) => {
      // The next one tries again.
      starting = null;
      throw error;
    }));
  return {
    async start() {
      await start();
    },
    async send(query, batchId) {
      const boss = await start();
      const executeSql = async (text: string, values?: unknown[]): Promise<{ rows: unknown[] }> => ({
        rows: await query(text, values),
      });
      await boss.send(QUEUE, { batchId }, { db: { executeSql } });
    },
    async watch(wake) {
      const boss = await start();
      const options = { batchSize: BATCH_SIZE, pollingIntervalSeconds: POLLING_INTERVAL_SECONDS };
      const id = await boss.work(QUEUE, options, () => Promise.resolve(wake()));
      return { stop: () => boss.offWork(QUEUE, { id, wait: false }) };
    },
    async close() {
      // A server that stands still must not keep the process.
      const giveUp = new AbortController();
      await Promise.race([
        starting?.then((boss) => boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS })).catch(() => {}),
        wait(2 * STOP_TIMEOUT_MS, undefined, { signal: giveUp.signal }).catch(() => {}),
      ]);
      giveUp.abort();
    },
  };
}

async function startBoss(
  connectionString: string,
  onBackgroundError: (error: unknown) => void,
): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString,
    schema: SCHEMA,
    application_name: "snap jobs",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    max: MAX_CONNECTIONS,
    useListenNotify: true,
    schedule: false,
  });
  boss.on("error", onBackgroundError);
  try {
    await boss.start();
    await boss.createQueue(QUEUE, JOBS);
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  }
}
