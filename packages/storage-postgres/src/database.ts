import { createHash } from "node:crypto";
import pg from "pg";
import { retry } from "./retry.ts";

/** Runs a statement with the values of `$1`, `$2`, … and returns its rows. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface Database {
  /**
   * Runs an idempotent statement. Retries it after a conflict, and after a lost connection, in
   * which case it may already have run.
   */
  readonly query: Query;
  /** Runs a statement without retries. */
  readonly queryOnce: Query;
  /**
   * Runs `work` in a transaction; rolls back if it throws or returns `null`. Runs it again, with
   * `isRepeated`, after a conflict, and after a lost connection, in which case the first
   * transaction may have committed.
   */
  transaction<T>(work: (query: Query, isRepeated: boolean) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** In the form `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly maxConnections: number;
  /**
   * Whether the connections go through a pooler (`detectPooler`). A connection may then use another PostgreSQL session
   * for each transaction, so session state is neither set nor relied upon.
   */
  readonly isPooled: boolean;
  /** Timeout of a statement, 15,000 ms by default; 0 for none. */
  readonly statementTimeoutMs?: number;
  /** Called when an idle connection is lost, or the one that listens for batches is lost or cannot be opened. */
  readonly onBackgroundError: (error: unknown) => void;
  /** Called when a statement or a transaction has to wait, because all connections are in use. */
  readonly onConnectionWait?: () => void;
}

export const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
/** A client that hangs must not hold its locks forever. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000;

/** Creates a connection pool, which connects on first use. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, maxConnections, isPooled, onBackgroundError } = options;
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    application_name: "snap",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: statementTimeoutMs,
    // PgBouncer rejects a connection that sets it
    ...(!isPooled && { statement_timeout: statementTimeoutMs }),
    keepAlive: true,
    types: { getTypeParser },
  });
  // pg-pool hands a connection to a waiter with no error listener on it; if it is lost then, the next statement fails
  pool.on("connect", (client) => void client.on("error", () => {}));
  // the original error, with its connection and all statements, is too large for a log
  pool.on("error", ({ message }) => {
    onBackgroundError(new Error(`lost a connection to PostgreSQL: ${message}`));
  });
  const begin = `BEGIN; SET LOCAL statement_timeout = ${statementTimeoutMs};
    SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS}`;
  const { onConnectionWait = () => {} } = options;
  const reportWait = (): void => {
    const free = pool.idleCount + maxConnections - pool.totalCount;
    if (pool.waitingCount >= free) onConnectionWait();
  };
  const run = queryWith(pool, isPooled);
  const queryOnce: Query = (text, values) => {
    reportWait();
    return run(text, values);
  };
  return {
    queryOnce,
    query: (text, values) => retry(() => queryOnce(text, values)),
    transaction: (work) =>
      retry((attempt) => {
        reportWait();
        return transact(pool, begin, (client) => work(queryWith(client, isPooled), attempt > 0));
      }),
    close: () => pool.end(),
  };
}

async function transact<T>(
  pool: pg.Pool,
  begin: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // a lost connection also emits "error"; marked as broken, it does not go back into the pool
  const markBroken = (error: Error): void => {
    broken = error;
  };
  client.on("error", markBroken);
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query(result === null ? "ROLLBACK" : "COMMIT");
    return result;
  } catch (error) {
    // if the rollback fails, closing the connection rolls back
    await client.query("ROLLBACK").catch(markBroken);
    throw error;
  } finally {
    client.release(broken);
    if (broken === undefined) client.removeListener("error", markBroken);
  }
}

/**
 * Prepares each SQL text that has values once per session, which makes a query several times as fast; through a
 * pooler, prepares it for each run. A text without values can contain several statements, which cannot be prepared.
 */
function queryWith(client: pg.Pool | pg.PoolClient, isPooled: boolean): Query {
  return async <Row>(text: string, values?: readonly unknown[]) => {
    const statement =
      values === undefined
        ? { text }
        : { ...(!isPooled && { name: nameOf(text) }), text, values: [...values] };
    const { rows } = await client.query(statement);
    return rows as Row[];
  };
}

const names = new Map<string, string>();

/** Returns a unique name per SQL text: PostgreSQL rejects one name for two statements. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `snap_${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
    names.set(text, name);
  }
  return name;
}

const INT8: number = pg.types.builtins.INT8;

/** Parses BIGINT as a number, because counts and instants are far below 2^53; pg returns strings by default. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === INT8
    ? Number
    : (pg.types.getTypeParser as (oid: number, format?: string) => () => unknown)(oid, format);

/** Returns whether PostgreSQL can store a text: it rejects NUL, so a query with one fails. */
export function isStorable(text: string): boolean {
  return !text.includes("\0");
}
