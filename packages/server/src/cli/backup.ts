import type { Command } from "commander";
import type { BackUpReport } from "../backup/back-up.ts";
import type { RestoreReport } from "../backup/restore.ts";
import type { Config } from "../config.ts";
import { keySourceOf } from "../config/secret-key.ts";
import { loadStorageConfig, withJson } from "./admin.ts";
import { describeChange, logChange } from "./audit-change.ts";
import { UsageError } from "./errors.ts";
import { formatBytes, formatInstant, formatNoun } from "../format.ts";
import { printJson, printLines, reportAtEnd, rewriteLine, warn } from "./output.ts";

interface BackupOptions {
  readonly withoutRenderings?: true;
  readonly json?: true;
}

interface RestoreOptions {
  readonly yes?: true;
  readonly json?: true;
}

/** `snap-server backup` and `snap-server restore`, for the embedded storage. */
export function addBackup(program: Command): void {
  withJson(program.command("backup"))
    .description("back up the data folder, but not the secret key, to a tar file; the service can be running")
    .argument(
      "<file>",
      "the file; replaces only an earlier backup, once the new one is complete; - writes to stdout",
    )
    .option("--without-renderings", "leave out cached renderings, which can be rendered again")
    .addHelpText(
      "after",
      `
Needs space next to the file for two copies of the database, and one of the documents and cached renderings.
With -, the data folder needs space for one copy of the database, or two with --without-renderings.
Store the secret key somewhere else: anyone who has both can read the signing secrets and the secrets in
batch items.

Examples:
  snap-server backup /var/backups/snap.tar
  docker compose exec -T snap snap-server backup - > snap.tar`,
    )
    .action(runBackup);

  withJson(program.command("restore"))
    .description("replace the data folder with a backup, while the service is stopped")
    .argument("<file>", "a file that snap-server backup wrote; - reads from stdin")
    .option("--yes", "move an existing database into a folder next to it")
    .addHelpText(
      "after",
      `
Verifies the whole backup before changing anything. Put the secret key in place first: restore checks it.
Changes since the backup are undone: tokens revoked since then are valid again.

Examples:
  snap-server restore /var/backups/snap.tar
  docker compose run --rm -T snap restore - --yes < snap.tar`,
    )
    .action(runRestore);
}

async function runBackup(file: string, { withoutRenderings, json }: BackupOptions): Promise<void> {
  const config = loadEmbeddedConfig();
  if (file === "-" && process.stdout.isTTY)
    throw new UsageError("stdout is a terminal; redirect it to a file");
  const { backUp } = await import("../backup/back-up.ts"); // other commands don't need it
  const report = await withProgress(json, (onProgress) =>
    backUp({ config, file, includesRenderings: withoutRenderings !== true, onProgress }),
  );
  if (report.recordingProblem !== null)
    warn(`the backup is complete, but ${config.dataDir} could not record it: ${report.recordingProblem}`);
  const key = keySourceOf(config);
  // stdout is the backup itself
  const reportsToStderr = report.file === null;
  if (json) (reportsToStderr ? reportAtEnd : printJson)(backupDocument(report, key));
  else if (reportsToStderr) process.stderr.write(`${backupLines(report, key).join("\n")}\n`);
  else printLines(...backupLines(report, key));
}

function backupDocument({ file, manifest, bytes, documents, renderings }: BackUpReport, key: string): object {
  const { made_at, schema_version } = manifest;
  return { file, made_at, schema_version, bytes, documents, renderings, secret_key: key };
}

function backupLines({ file, manifest, bytes, documents, renderings }: BackUpReport, key: string): string[] {
  return [
    `Backed up to ${file ?? "stdout"}: ${formatBytes(bytes)} with ${formatNoun(documents, "document")} and ${formatNoun(renderings, "cached rendering")}, as of ${formatIsoInstant(manifest.made_at)}.`,
    `The secret key is not in it. The key is ${key}: store a copy somewhere else. Without it, the signing secrets are lost.`,
  ];
}

async function runRestore(file: string, { yes, json }: RestoreOptions): Promise<void> {
  const config = loadEmbeddedConfig();
  const { restore } = await import("../backup/restore.ts"); // other commands don't need it
  const change = describeChange([`folder ${config.dataDir}`]);
  const report = await withProgress(json, (onProgress) =>
    restore({ config, file, replaces: yes === true, change, onProgress }),
  );
  logChange(change);
  const { manifest, previous, hasKey } = report;
  if (json)
    return printJson({
      data_dir: config.dataDir,
      made_at: manifest.made_at,
      previous,
      has_secret_key: hasKey,
    });
  printLines(...restoreLines(config, report, keySourceOf(config)));
}

function restoreLines(
  { dataDir }: Config,
  { manifest, previous, hasKey }: RestoreReport,
  key: string,
): string[] {
  return [
    `Restored ${dataDir} as of ${formatIsoInstant(manifest.made_at)}.`,
    ...(previous === null
      ? []
      : [`The previous data is in ${previous}; delete it when you no longer need it.`]),
    ...(hasKey ? [] : [`The secret key is missing: put it into ${key} before you start the service.`]),
    "Changes since the backup are undone. If you have revoked tokens since then, revoke them again.",
  ];
}

function formatIsoInstant(isoInstant: string): string {
  return formatInstant(Date.parse(isoInstant), "");
}

/** @throws UsageError if the service uses PostgreSQL, or if SNAP_ADMIN_URL is set. */
function loadEmbeddedConfig(): Config {
  const config = loadStorageConfig();
  if (config.shared !== null)
    throw new UsageError(
      "this service stores its data in PostgreSQL (SNAP_DATABASE_URL); back it up and restore " +
        "it with PostgreSQL's tools (see docs/how-to/run-several-machines.md)",
    );
  return config;
}

/** Shows the progress on a terminal, at most ten times a second. */
async function withProgress<T>(
  json: true | undefined,
  work: (
    onProgress: (progress: { readonly bytes: number; readonly renderings: number }) => void,
  ) => Promise<T>,
): Promise<T> {
  if (!process.stderr.isTTY || json) return work(() => {});
  let shownAtMs = 0;
  rewriteLine("copying the database …");
  return work(({ bytes, renderings }) => {
    if (performance.now() - shownAtMs < 100) return;
    shownAtMs = performance.now();
    rewriteLine(`${formatBytes(bytes)}, ${formatNoun(renderings, "cached rendering")}`);
  }).finally(() => rewriteLine(""));
}
