import type { QueueWatch } from "@snap/engine/ports";
import pg from "pg";
import { CONNECT_TIMEOUT_MS, type DatabaseOptions, type Query } from "./database.ts";

/** Wakes the batch workers of all processes when a batch is submitted. */
export interface BatchSignal {
  /** Sends the notification in the caller's transaction: it is delivered on commit, and dropped on rollback. */
  send(query: Query): Promise<void>;
  watch(wake: () => void): Promise<QueueWatch>;
  close(): Promise<void>;
}

const CHANNEL = "snap_batches";
const RECONNECT_PAUSE_MS = 2_000;

/**
 * Uses `NOTIFY` and `LISTEN`. The batch rows are the queue; a notification only makes workers check them earlier. A lost
 * notification delays a batch by at most the polling interval.
 */
export function createBatchSignal({
  canListen,
  ...connectionOptions
}: Pick<DatabaseOptions, "url" | "onBackgroundError"> & {
  /** `false` if notifications do not arrive, because a pooler assigns connections for one transaction. */
  readonly canListen: boolean;
}): BatchSignal {
  const listeners = new Set<QueueWatch>();
  return {
    async send(query) {
      await query("SELECT pg_notify($1, '')", [CHANNEL]);
    },
    async watch(wake) {
      const listener = canListen ? listen(connectionOptions, wake) : { stop: () => Promise.resolve() };
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
      await Promise.all([...listeners].map((listener) => listener.stop()));
    },
  };
}

/** Listens on a dedicated connection, and reconnects after a failure. */
function listen(
  { url, onBackgroundError }: Pick<DatabaseOptions, "url" | "onBackgroundError">,
  wake: () => void,
): QueueWatch {
  let client: pg.Client | null = null;
  let reconnectTimer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Returns `null` if a certificate file that the URL names is missing. */
  const createClient = (): pg.Client | null => {
    try {
      return new pg.Client({
        connectionString: url,
        application_name: "snap batches",
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        keepAlive: true,
      });
    } catch (error) {
      onLost(error);
      return null;
    }
  };
  const reconnectLater = (): void => {
    if (isStopped) return;
    client = null;
    reconnectTimer = setTimeout(() => void connect(), RECONNECT_PAUSE_MS);
  };
  const connect = async (): Promise<void> => {
    const connection = createClient();
    if (connection === null) return reconnectLater();
    client = connection;
    connection.on("notification", wake);
    // pg emits `error` for a lost connection, and `end` after it
    connection.on("error", onLost);
    connection.once("end", reconnectLater);
    try {
      await connection.connect();
      await connection.query(`LISTEN ${CHANNEL}`);
      // batches may have been submitted before the connection was open
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
      clearTimeout(reconnectTimer);
      // an unresponsive server must not block closing
      await Promise.race([
        client?.end().catch(() => {}),
        new Promise<void>((resolve) => void setTimeout(resolve, CONNECT_TIMEOUT_MS).unref()),
      ]);
    },
  };
}
