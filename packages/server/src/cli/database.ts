import type { SchemaMigration } from "@snap/engine/ports";
import type { Command } from "commander";
import { withAdminEngine, withJson } from "./admin.ts";
import { printJson, printLines } from "./output.ts";

/** `snap-server database`: migrates the database to the schema of this release. */
export function addDatabase(program: Command): void {
  const database = program.command("database").description("migrate the database to this release");

  withJson(database.command("upgrade"))
    .description("migrate the database from an older release; older releases cannot open it afterwards")
    .addHelpText(
      "after",
      `
serve does the same when it starts; every other command refuses to open a database from an older release. In a data folder,
the database is first copied, for example to snap.db.schema-4. With PostgreSQL, make a dump before you upgrade.
The secret key is not needed: if it is lost, upgrade, then run snap-server secret-key replace.`,
    )
    .action(upgrade);
}

async function upgrade(options: { readonly json?: true }): Promise<void> {
  const migrations: SchemaMigration[] = [];
  let isCreated = false;
  await withAdminEngine(async () => {}, {
    // a migration decrypts nothing, so it works even if the key is lost
    keyCheck: "none",
    keyUse: "unused",
    // lets a job prepare PostgreSQL before the first service starts
    beforeCreation: () => void (isCreated = true),
    beforeMigration: (migration) => void migrations.push(migration),
  });
  const migration = migrations[0] ?? null;
  if (options.json) return printJson({ migrated: migration });
  if (isCreated) return printLines("Created the database tables.");
  if (migration === null) return printLines("The database schema is already up to date.");
  const { from, to, copy } = migration;
  printLines(
    `Migrated the database from schema version ${from} to ${to}.`,
    ...(copy === null
      ? []
      : [`The database before the migration is in ${copy}; delete it when you no longer need to go back.`]),
  );
}
