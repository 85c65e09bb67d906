import type { QueueWatch } from "@snap/engine/ports";
import pg from "pg";
import type { DatabaseOptions, Query } from "./database.ts";

/** Notifies the workers of all machines when a batch is stored. */
export interface BatchSignal {
  /** Prepares `send`; call it outside of a transaction. */
  start(): Promise<void>;
  /** Sends the job within the caller's transaction: either both the batch and its job are stored, or neither. */
  send(query: Query, batchId: string): Promise<void>;
  watch(wake: () => void): Promise<QueueWatch>;
  close(): Promise<void>;
}

const QUEUE = "batches";
/** Separate schema, created and migrated by pg-boss. */
const SCHEMA = "snap_jobs";
const JOBS = {
  // workers get a NOTIFY with the commit, and also poll
  notify: true,
  expireInSeconds: 60,
  retryLimit: 10,
  retryBackoff: true,
  deleteAfterSeconds: 3600,
  retentionSeconds: 24 * 3600,
} as const;
/** Jobs fetched at a time: each only tells the worker to poll the batches. */
const BATCH_SIZE = 100;
const POLLING_INTERVAL_SECONDS = 2;
/** Connections of pg-boss for maintenance and jobs, besides its listener. */
const MAX_CONNECTIONS = 2;
const STOP_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_PAUSE_MS = 2_000;

/**
 * The batches themselves are the queue, with leases, fencing tokens and fairness between accounts by the engine's clock.
 * pg-boss only notifies workers: one job per batch, retried until a worker has fetched it.
 */
export function createBatchSignal({
  url,
  onBackgroundError,
}: Pick<DatabaseOptions, "url" | "onBackgroundError">): BatchSignal {
  let starting: Promise<PgBoss> | null = null;
  const start = (): Promise<PgBoss> =>
    (starting ??= startBoss(url, onBackgroundError).catch((error: unknown) => {
      // the next call retries
      starting = null;
      throw error;
    }));
  return {
    async send(query) {
      await query("SELECT pg_notify($1, '')", [CHANNEL]);
    },
    async watch(wake) {
      const listener = listen({ url, onBackgroundError }, wake);
      const watch: QueueWatch = {
        async stop() {
          listeners.delete(watch);
          await listener.stop();
        },
      };
      listeners.add(watch);
      return watch;
    },
    async close() {
      // a hanging server must not keep the process alive
      const giveUp = new AbortController();
      await Promise.race([
        starting?.then((boss) => boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS })).catch(() => {}),
        wait(2 * STOP_TIMEOUT_MS, undefined, { signal: giveUp.signal }).catch(() => {}),
      ]);
      giveUp.abort();
    },
  };
}

/** Listens on a connection of its own, and reconnects after a failure. */
function listen(
  { url, onBackgroundError }: Pick<DatabaseOptions, "url" | "onBackgroundError">,
  wake: () => void,
): QueueWatch {
  let client: pg.Client | null = null;
  let reconnect: NodeJS.Timeout | undefined;
  let isStopped = false;

  const connect = async (): Promise<void> => {
    const connection = new pg.Client({
      connectionString: url,
      application_name: "snap batches",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    client = connection;
    connection.on("notification", wake);
    // pg emits `error` for a lost connection, and `end` after it
    connection.on("error", onLost);
    connection.once("end", () => {
      if (isStopped) return;
      client = null;
      reconnect = setTimeout(() => void connect(), RECONNECT_PAUSE_MS);
    });
    try {
      await connection.connect();
      await connection.query(`LISTEN ${CHANNEL}`);
      // Batches may have been submitted while nobody listened.
      wake();
    } catch (error) {
      if (!isStopped) onLost(error);
      await connection.end().catch(() => {});
    }
  };
  const onLost = (error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    onBackgroundError(new Error(`batch notifications from PostgreSQL are interrupted: ${reason}`));
  };

  void connect();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(reconnect);
      // A server that does not respond must not keep the process from closing.
      await Promise.race([
        client?.end().catch(() => {}),
        new Promise<void>((resolve) => void setTimeout(resolve, CONNECT_TIMEOUT_MS).unref()),
      ]);
    },
  };
}
