import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "./free-port.ts";
import type { PostgresServer } from "./postgres.ts";
import { startProgram } from "./start-program.ts";

/** A connection pooler in front of a PostgreSQL server, for one test file. */
export interface Pgbouncer {
  /** Returns the URL of a database, by default `postgres`. */
  url(database?: string): string;
  /** Stops it and deletes its files. */
  stop(): Promise<void>;
}

/** `nobody` on Debian. PgBouncer does not run as root. */
const UNPRIVILEGED_ID = 65_534;

/**
 * Starts `pgbouncer` on a free port on the loopback interface, without passwords. It stops when
 * this process exits, if not earlier.
 *
 * @param settings Additional settings for its `pgbouncer` section, by name.
 * @param onlyDatabase The only database that it serves; by default, every database.
 *
 * @example
 * const pooler = await startPgbouncer(postgres, { pool_mode: "transaction" });
 * const storage = await openPostgresStorage({ url: pooler.url(), cache });
 */
export async function startPgbouncer(
  postgres: PostgresServer,
  settings: Readonly<Record<string, string>>,
  onlyDatabase = "*",
): Promise<Pgbouncer> {
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), "snap-pgbouncer-"));
  const own = {
    listen_addr: "127.0.0.1",
    listen_port: String(port),
    unix_socket_dir: "",
    auth_type: "trust",
    auth_file: join(folder, "users.txt"),
  };
  const lines = Object.entries({ ...own, ...settings }).map(([name, value]) => `${name} = ${value}`);
  const databases = ["[databases]", `${onlyDatabase} = host=127.0.0.1 port=${postgres.port}`];
  writeFileSync(join(folder, "pgbouncer.ini"), [...databases, "[pgbouncer]", ...lines, ""].join("\n"));
  writeFileSync(own.auth_file, '"snap" ""\n');
  const identity = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {};
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid);
  const { kill } = await startProgram(["pgbouncer", "pgbouncer.ini"], {
    ...identity,
    cwd: folder,
    ready: /process up/,
  });
  return {
    url: (database = "postgres") => `postgres://snap@127.0.0.1:${port}/${database}`,
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
