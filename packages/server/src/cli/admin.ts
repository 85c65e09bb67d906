import type { Engine } from "@snap/engine";
import type { Command } from "commander";
import { localOperations } from "../admin/operations/local-operations.ts";
import type { AdminOperations } from "../admin/operations/operations.ts";
import { remoteOperations } from "../admin/operations/remote-operations.ts";
import { recordChanges } from "../audit/record-changes.ts";
import { readConfig, type Config } from "../config.ts";
import type { AdminEngineOptions } from "../wire.ts";
import { announceChange } from "./audit-change.ts";
import { UsageError } from "./errors.ts";
import { warn } from "./output.ts";

/** Dependencies of an operator's command. */
export interface AdminContext {
  readonly config: Config;
  readonly engine: Engine;
}

/** Dependencies of a command that also works through the admin API. */
export interface OperationContext {
  readonly config: Config;
  readonly operations: AdminOperations;
}

/** Reads the configuration from the environment; prints its warnings to stderr. */
export function loadConfig(): Config {
  const { config, warnings } = readConfig(process.env);
  for (const warning of warnings) warn(warning);
  return config;
}

/**
 * Like `loadConfig`, for a command that needs direct access to the storage.
 *
 * @throws UsageError if SNAP_ADMIN_URL is set.
 */
export function loadStorageConfig(): Config {
  const config = loadConfig();
  if (config.adminUrl !== null)
    throw new UsageError(
      "this command needs direct access to the storage, but SNAP_ADMIN_URL is set",
      "unset SNAP_ADMIN_URL, and run the command where the service runs",
    );
  return config;
}

/** Runs `work` on the storage or, with SNAP_ADMIN_URL, through that service's admin API. */
export async function withOperations<T>(
  work: (context: OperationContext) => Promise<T>,
  options: AdminEngineOptions = {},
): Promise<T> {
  const config = loadConfig();
  const { adminUrl, adminToken, plans } = config;
  if (adminUrl === null)
    return withAdminEngine(
      ({ engine }) => work({ config, operations: localOperations(engine, plans) }),
      options,
    );
  return work({ config, operations: remoteOperations({ url: adminUrl, token: adminToken ?? "" }) });
}

/**
 * Opens the storage, even while a server is running, and closes it when `work` ends. Adds the changes made by `work` to
 * the audit log (`withAudit`).
 */
export async function withAdminEngine<T>(
  work: (admin: AdminContext) => Promise<T>,
  options: AdminEngineOptions = {},
): Promise<T> {
  const config = loadStorageConfig();
  const { openAdminEngine } = await import("../wire.ts");
  const { beforeMigration } = options;
  const migrations: string[] = [];
  const engine = await openAdminEngine(config, {
    ...options,
    ...(beforeMigration && {
      beforeMigration: (migration, newestSealedSecret) => {
        beforeMigration(migration, newestSealedSecret);
        migrations.push(`schema ${migration.from} to ${migration.to}`);
      },
    }),
  });
  return withAudit(engine, (watched) => work({ config, engine: watched }), migrations);
}

/**
 * Closes the engine when `work` ends. If `work` calls an engine method that changes something, the change is added to the
 * audit log and logged to stderr, even if `work` fails afterwards.
 *
 * @param changed Subjects that have already changed.
 */
export async function withAudit<T>(
  engine: Engine,
  work: (watched: Engine) => Promise<T>,
  changed: readonly string[] = [],
): Promise<T> {
  const announce = (subjects: readonly string[]): Promise<void> => announceChange(engine.audit, subjects);
  try {
    return await recordChanges(engine, { work, announce, changed });
  } finally {
    await engine.close();
  }
}

/** Adds `--json`, which every command but `completion` supports. */
export function withJson(command: Command): Command {
  return command.option("--json", "print JSON, for programs");
}
