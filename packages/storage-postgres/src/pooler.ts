import pg from "pg";
import { CONNECT_TIMEOUT_MS } from "./database.ts";
import { retry } from "./retry.ts";

/**
 * How long a connection pooler between this process and PostgreSQL, such as PgBouncer, assigns a client one of its
 * connections: until the client disconnects, or for one transaction.
 */
export type PoolMode = "session" | "transaction";

/** Several, because a busy pool in transaction mode can look like session mode by chance. */
const ROUNDS = 3;

/**
 * Returns the mode of the connection pooler that the URL points to, or `null` if it points to PostgreSQL itself.
 *
 * @throws Error if the server is unreachable, or if the pooler cannot work with this storage.
 */
export function detectPooler(url: string): Promise<PoolMode | null> {
  return retry(async () => {
    const first = await connect(url);
    try {
      // a pooler assigns separate process ids to clients, to find the statement that a client cancels
      if ((await backendOf(first)) === (first as pg.Client & WithProcessId).processID) return null;
      // a pooler in statement mode rejects it
      await first.query("BEGIN");
      await first.query("COMMIT");
      return await readMode(first, url);
    } catch (error) {
      throw explain(error);
    } finally {
      await disconnect(first);
    }
  });
}

/** Missing in the types of pg. */
interface WithProcessId {
  readonly processID: number | null;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "snap",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  });
  // the waiting statement also rejects
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    await disconnect(client);
    throw explain(error);
  }
  return client;
}

async function disconnect(client: pg.Client): Promise<void> {
  await client.end().catch(() => {});
}

/** Returns the PostgreSQL process that is running a client's statements. */
async function backendOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid;
}

/** In session mode, two clients keep separate PostgreSQL processes while they are connected. */
async function readMode(first: pg.Client, url: string): Promise<PoolMode> {
  const second = await connect(url);
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      // queries each client twice, because a pooler may rotate its connections
      const pids = [];
      for (const client of [first, second, second, first]) pids.push(await backendOf(client));
      const [firstPid, secondPid, secondAgain, firstAgain] = pids;
      if (firstPid === secondPid || firstPid !== firstAgain || secondPid !== secondAgain)
        return "transaction";
    }
    return "session";
  } catch (error) {
    throw isQueryTimeout(error) ? new Error(POOL_TOO_SMALL, { cause: error }) : error;
  } finally {
    await disconnect(second);
  }
}

const POOL_TOO_SMALL =
  "the connection pooler's pool is too small; raise default_pool_size in PgBouncer: " +
  "in session mode each process takes up to 11";

function isQueryTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}

/**
 * The messages of failures that a retry cannot fix, and the remedies. Without `explain`, those of
 * PgBouncer, the resolver and pg would be retried, because they look like a lost connection.
 */
const REMEDIES: readonly (readonly [message: RegExp, remedy: string])[] = [
  [/^(?:database .+ does not exist|no such database)/, "correct the database name, or create the database"],
  [
    /^timeout expired$/,
    "the server accepts connections but does not respond: check that PostgreSQL or the pooler is not hung or overloaded",
  ],
  [/ENOTFOUND/, "correct the host name"],
  [/authentication failed|^no such user/, "correct the user and the password"],
  [
    /unsupported startup parameter/i,
    "the connection pooler rejects it: remove it from the URL, or add it to PgBouncer's ignore_startup_parameters",
  ],
  [
    /statement pooling mode/i,
    "the connection pooler must keep a transaction together: set PgBouncer's pool_mode to transaction or session",
  ],
];

/** Returns an error without a code, which is not retried, if a retry cannot help. */
function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [, remedy] = REMEDIES.find(([message]) => message.test(error.message)) ?? [];
  return remedy === undefined ? error : new Error(`${error.message}; ${remedy}`, { cause: error });
}
