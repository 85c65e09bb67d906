import type { Engine } from "@snap/engine";
import type { Command } from "commander";
import { readConfig, type Config } from "../config.ts";
import type { AdminParts } from "../wire.ts";
import { announceChange } from "./audit-change.ts";
import { warn } from "./output.ts";
import { watchChanges } from "./watch-changes.ts";

/** Dependencies of an operator's command. */
export interface Admin {
  readonly config: Config;
  readonly engine: Engine;
}

/** Reads the configuration from the environment; prints its warnings to stderr. */
export function loadConfig(): Config {
  const { config, warnings } = readConfig(process.env);
  for (const warning of warnings) warn(warning);
  return config;
}

/**
 * Opens the storage, even while a server is running, and closes it when `work` ends. What `work` changes is added to the
 * audit (`withAudit`).
 */
export async function administer<T>(work: (admin: Admin) => Promise<T>, parts: AdminParts = {}): Promise<T> {
  const config = loadConfig();
  const { openAdminEngine } = await import("../wire.ts");
  const { beforeMigration } = parts;
  const migrations: string[] = [];
  const engine = await openAdminEngine(config, {
    ...parts,
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
 * Closes the engine when `work` ends. If `work` calls a method of the engine that changes something, the change is added to
 * the audit and logged to stderr, even if `work` fails afterwards.
 *
 * @param changed What has changed already.
 */
export async function withAudit<T>(
  engine: Engine,
  work: (watched: Engine) => Promise<T>,
  changed: readonly string[] = [],
): Promise<T> {
  const { watched, changes } = watchChanges(engine, changed);
  try {
    return await work(watched);
  } finally {
    try {
      if (changes.made) await announceChange(engine.audit, [...changes.subjects]);
    } finally {
      await engine.close();
    }
  }
}

/** Adds `--json`, which every command supports. */
export function withJson(command: Command): Command {
  return command.option("--json", "print JSON, for programs");
}
