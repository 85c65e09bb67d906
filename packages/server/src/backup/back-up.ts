import packageJson from "../../package.json" with { type: "json" };
import { createWriteStream } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../config.ts";
import { diskFull, isFull } from "../data-dir-error.ts";
import { openSnapshot } from "../open-storage.ts";
import { openStdout } from "../open-stdout.ts";
import { makeManifest, type Manifest } from "./manifest.ts";
import { checkTargetFile, moveIntoPlace } from "./target-file.ts";
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
}

const FULL_ADVICE =
  "no backup was made, and nothing is left behind except on stdout; free space there, write to another " +
  "disk, or leave out the cached renderings with --without-renderings";

/**
 * Backs up the data folder. The file gets its name once it is complete and on disk. If anything fails before that, no
 * file is left behind.
 *
 * @throws OperatorError `disk_full`, or `backup_invalid` if the file must not be replaced.
 */
export async function backUp({
  config,
  file,
  includesRenderings,
  onProgress,
}: BackUpRequest): Promise<BackUpReport> {
  const target = file === "-" ? null : await checkTargetFile(file, config.dataDir);
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
      snapshot.recordBackup();
      return { manifest, file: target, ...written };
    } finally {
      snapshot.close();
    }
  };
  return withWorkDirectory(parent, work).catch((error: unknown) => {
    if (!isFull(error)) throw error;
    const folder = target === null ? `${parent}, or the output,` : parent;
    throw diskFull(folder, { advice: FULL_ADVICE, cause: error });
  });
}
