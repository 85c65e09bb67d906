import { messageOf } from "@snap/engine/internals";
import packageJson from "../../package.json" with { type: "json" };
import type { SqliteSnapshot } from "@snap/storage-sqlite";
import { createWriteStream } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../config.ts";
import { diskFullError, isDiskFullError, isPermissionError } from "../data-dir-error.ts";
import { requireDatabase } from "../data-folder.ts";
import { openSnapshot, withDataDirErrors } from "../open-storage.ts";
import { openStdout } from "../open-stdout.ts";
import { makeManifest, type Manifest } from "./manifest.ts";
import { checkTargetFile, invalidTarget, moveIntoPlace } from "./target-file.ts";
import { withWorkDirectory } from "./work-directory.ts";
import { writeArchive, type ArchiveProgress, type ArchiveRequest } from "./write-archive.ts";

export interface BackUpRequest extends Pick<ArchiveRequest, "onProgress"> {
  readonly config: Config;
  /** Path of the file, or `-` for stdout. */
  readonly file: string;
  readonly includesRenderings: boolean;
}

export interface BackUpReport extends ArchiveProgress {
  readonly manifest: Manifest;
  /** Absolute path; `null` for stdout. */
  readonly file: string | null;
  /** Why the complete backup could not be recorded in the data folder; `null` if it was. */
  readonly recordingProblem: string | null;
}

const DISK_FULL_ADVICE =
  "no backup was made, and nothing is left behind except on stdout; free space there, write to another " +
  "disk, or leave out the cached renderings with --without-renderings";

/** System calls made only on the target's folder; errors of other calls may concern the data folder. */
const TARGET_FOLDER_ACTIONS: Readonly<Record<string, string>> = { scandir: "read", mkdtemp: "write to" };

/**
 * Backs up the data folder. The file gets its name once it is complete and on disk. If anything fails before that, no
 * file is left behind.
 *
 * @throws OperatorError `backup_invalid` if the file cannot be written or must not be replaced,
 * `database_missing`, `disk_full`, or another code if the data folder cannot be used.
 */
export async function backUp({
  config,
  file,
  includesRenderings,
  onProgress,
}: BackUpRequest): Promise<BackUpReport> {
  const target = file === "-" ? null : await checkTargetFile(file, config.dataDir);
  // opening an empty file would create a database, and its backup would replace the good one
  await withDataDirErrors(config.dataDir, () => requireDatabase(config.dataDir, { createsDatabase: false }));
  const parent = target === null ? config.dataDir : dirname(target);
  const now = Date.now();
  const work = async (workDirectory: string): Promise<BackUpReport> => {
    const snapshot = await openSnapshot(config, { workDirectory, includesRenderings, now });
    try {
      const manifest = makeManifest({
        made_at: new Date(now).toISOString(),
        schema_version: snapshot.schemaVersion,
        release: packageJson.version,
        includes_renderings: includesRenderings,
      });
      const draft = join(workDirectory, "backup.tar");
      const output =
        target === null ? openStdout() : createWriteStream(draft, { flags: "wx", mode: 0o600, flush: true });
      const written = await writeArchive({ snapshot, manifest, output, onProgress });
      if (target !== null) await moveIntoPlace(draft, target);
      return { manifest, file: target, recordingProblem: record(snapshot), ...written };
    } finally {
      snapshot.close();
    }
  };
  return withWorkDirectory(parent, work).catch((error: unknown) => {
    const { syscall = "" } = error as { syscall?: string };
    const failedAction = TARGET_FOLDER_ACTIONS[syscall];
    if (target !== null && isPermissionError(error) && failedAction !== undefined)
      throw invalidTarget(`cannot ${failedAction} ${parent}`);
    if (!isDiskFullError(error)) throw error;
    const folder = target === null ? `${parent}, or the output,` : parent;
    throw diskFullError(folder, { advice: DISK_FULL_ADVICE, cause: error });
  });
}

/** Returns why the backup could not be recorded, as on a full disk; `null` if it was. */
function record(snapshot: Pick<SqliteSnapshot, "recordBackup">): string | null {
  try {
    snapshot.recordBackup();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
