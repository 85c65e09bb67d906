import type { Command } from "commander";
import { resolve } from "node:path";
import { readMoveConfig } from "../config.ts";
import { SETTINGS } from "../config/settings.ts";
import { withJson } from "./admin.ts";
import { UsageError } from "./errors.ts";
import { printJson, printLines, rewriteLine, warn } from "./output.ts";
import type { MoveRequest } from "./migrate/move.ts";

interface MigrateOptions {
  readonly from?: string;
  readonly to?: string;
  readonly json?: true;
}

/** `snap-server migrate`: moves from the embedded storage to PostgreSQL. */
export function addMigrate(program: Command): void {
  withJson(program.command("migrate"))
    .description(
      "move the accounts with their data from the embedded storage to an empty PostgreSQL database; rerun it if it is interrupted",
    )
    .option(
      "--from <folder>",
      "the data folder, which nothing else may use during the migration; SNAP_DATA_DIR by default",
    )
    .option(
      "--to <url>",
      "PostgreSQL, as postgres://user:password@host:5432/database; by default SNAP_DATABASE_URL, which keeps the password out of process lists",
    )
    .addHelpText(
      "after",
      `
Moves accounts, tokens, credits, the journal, batches and documents, and compares both sides. Cached renderings, rate limit
counters, the history with its totals, the audit log, records of delivery attempts, and sign-ins stay in the folder.

Example:
  SNAP_DATABASE_URL=postgres://snap:secret@db.internal/snap snap-server migrate --from ./data`,
    )
    .action(migrate);
}

async function migrate(options: MigrateOptions): Promise<void> {
  const request = readRequest(options);
  // Loaded lazily: other commands do not need them.
  const [{ move }, { moveDocument, moveLines, progressLine }] = await Promise.all([
    import("./migrate/move.ts"),
    import("./migrate/report.ts"),
  ]);
  const showsProgress = process.stderr.isTTY && !options.json;
  const report = await move({
    ...request,
    onProgress: (progress) => showsProgress && rewriteLine(progressLine(progress)),
  }).finally(() => showsProgress && rewriteLine(""));
  if (options.json) printJson(moveDocument(report));
  else printLines(...moveLines(report));
}

/** @throws UsageError that does not contain the URL, because the URL may contain a password. */
function readRequest({ from, to }: MigrateOptions): MoveRequest {
  const { config, warnings } = readMoveConfig(process.env);
  for (const warning of warnings) warn(warning);
  const databaseUrl = to ?? config.databaseUrl;
  if (databaseUrl === null) throw new UsageError("no target database", "pass --to, or set SNAP_DATABASE_URL");
  const { data, error } = SETTINGS.databaseUrl.schema.safeParse(databaseUrl);
  if (error !== undefined) throw new UsageError(`--to ${error.issues[0]?.message}`);
  return {
    ...config,
    databaseUrl: data ?? databaseUrl,
    dataDir: from === undefined ? config.dataDir : resolve(from),
  };
}
