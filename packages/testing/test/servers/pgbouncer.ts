import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findFreePort } from "./free-port.ts";
import type { PostgresServer } from "./postgres.ts";

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
 * Starts `pgbouncer` on a free port on the loopback interface, with the settings of its package. It stops when this
 * process exits, if not earlier.
 *
 * @param settings The settings in its `pgbouncer` section, by name.
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
  const child = spawn("pgbouncer", ["pgbouncer.ini"], {
    ...identity,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const endWithThis = (): void => void child.kill("SIGKILL");
  process.once("exit", endWithThis);
  const log: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => reject(new Error(`pgbouncer exited:\n${log.join("\n")}`)));
    createInterface(child.stderr).on("line", (line) => {
      log.push(line);
      if (line.includes("process up")) resolve();
    });
  });
  return {
    url: (database = "postgres") => `postgres://snap@127.0.0.1:${port}/${database}`,
    async stop() {
      process.removeListener("exit", endWithThis);
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
