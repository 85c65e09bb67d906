import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { isConflict, isLostConnection } from "./faults.ts";

/** Runs a statement with the values of its `$1`, `$2`, … and answers its rows. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface Database {
  /**
   * One statement that may be run twice: it is repeated when the connection was lost, and nobody knows
   * then whether it had been run.
   */
  readonly query: Query;
  /** One statement that is never repeated. */
  readonly queryOnce: Query;
  /**
   * Runs `work` in a transaction, which is taken back when it throws or answers `null`. It is run again when
   * the connection was lost, in the commit too; `isRepeated` then says so, as the first may have been written.
   */
  transaction<T>(work: (query: Query, isRepeated: boolean) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** As `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly maxConnections: number;
  /** Longest time of a statement, 15,000 ms unless given; 0 for none. */
  readonly statementTimeoutMs?: number;
  /** Told of connections that are lost while nobody uses them. */
  readonly onBackgroundError: (error: unknown) => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
/** A client that stands still must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000;
/** A server that is started anew is back within a few seconds. */
const RETRY_PAUSES_MS: readonly number[] = [20, 100, 300, 700, 1_500, 3_000];

/** A pool of connections; connects when it is first used. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, maxConnections, statementTimeoutMs = STATEMENT_TIMEOUT_MS, onBackgroundError } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    application_name: "snap",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: statementTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser },
  });
  // The error carries its connection, with the texts of all its statements: too much for a log.
  pool.on("error", ({ message }) => {
    onBackgroundError(new Error(`a connection to PostgreSQL was lost: ${message}`));
  });
  const queryOnce = queryWith(pool);
  return {
    queryOnce,
    query: (text, values) => retrying(() => queryOnce(text, values)),
    transaction: (work) => retrying((attempt) => transact(pool, (query) => work(query, attempt > 0))),
    close: () => pool.end(),
  };
}

async function transact<T>(pool: pg.Pool, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that is lost says so to the statement that waits, and once more as an event, which would
  // end the process if nobody listened.
  const note = (error: Error): void => {
    broken = error;
  };
  client.on("error", note);
  try {
    await client.query("BEGIN");
    const result = await work(queryWith(client));
    await client.query(result === null ? "ROLLBACK" : "COMMIT");
    return result;
  } catch (error) {
    // A connection that can't take its transaction back is closed, which does so.
    await client.query("ROLLBACK").catch(note);
    throw error;
  } finally {
    client.release(broken);
    if (broken === undefined) client.removeListener("error", note);
  }
}

/** Each text becomes a prepared statement of the connection; several statements in one can't. */
function queryWith(client: pg.Pool | pg.PoolClient): Query {
  return async <Row>(text: string, values?: readonly unknown[]) => {
    const statement = values === undefined ? { text } : { name: nameOf(text), text, values: [...values] };
    const { rows } = await client.query(statement);
    return rows as Row[];
  };
}

const names = new Map<string, string>();

/** The same for the same text: PostgreSQL refuses one name for two texts. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `snap_${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
    names.set(text, name);
  }
  return name;
}

async function retrying<T>(work: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      const pauseMs = RETRY_PAUSES_MS[attempt];
      if (pauseMs === undefined || !(isLostConnection(error) || isConflict(error))) throw error;
      await wait(pauseMs);
    }
  }
}

const INT8: number = pg.types.builtins.INT8;

/** Counts and instants are far below 2^53, so that they are numbers; pg hands them out as texts. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === INT8
    ? Number
    : (pg.types.getTypeParser as (oid: number, format?: string) => () => unknown)(oid, format);

/** PostgreSQL's texts hold no NUL: nothing is stored under a name that has one, and asking for it is an error. */
export function isStorable(name: string): boolean {
  return !name.includes("\0");
}
