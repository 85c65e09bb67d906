import { isKeyOf } from "@snap/engine/internals";
import type { AuditEntry } from "@snap/engine/ports";
import { SCHEMA_VERSION, type SqliteRestore } from "@snap/storage-sqlite";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { Config } from "../config.ts";
import { findSecretKey, keySourceOf } from "../config/secret-key.ts";
import { diskFullError, explainDataDirError, isDiskFullError } from "../data-dir-error.ts";
import { openRestore } from "../open-storage.ts";
import { OperatorError } from "../operator-error.ts";
import type { Manifest } from "./manifest.ts";
import { readArchive, type ReadRequest } from "./read-archive.ts";

export interface RestoreRequest extends Pick<ReadRequest, "onProgress"> {
  readonly config: Config;
  /** Path of the backup, or `-` for stdin. */
  readonly file: string;
  /** Whether to move an existing database aside. */
  readonly replaces: boolean;
  /** Becomes an entry of the restored audit log. */
  readonly change: Omit<AuditEntry, "at">;
}

export interface RestoreReport {
  readonly manifest: Manifest;
  /** Folder that holds the previous data; `null` if there was none. */
  readonly previous: string | null;
  /** Whether the secret key exists and decrypts the restored secrets. */
  readonly hasKey: boolean;
}

/**
 * Replaces the data folder with a backup. Changes nothing unless the backup is complete, has a schema version that this
 * release supports, and matches the secret key, if there is one.
 *
 * @throws OperatorError; a system error if the backup cannot be read.
 */
export async function restore({
  config,
  file,
  replaces,
  change,
  onProgress,
}: RestoreRequest): Promise<RestoreReport> {
  const input = await openInput(file);
  const stagedRestore = await openRestore(config, { replaces });
  try {
    const manifest = await readArchive({
      ...stagedRestore,
      input,
      schemaVersion: SCHEMA_VERSION,
      onProgress,
    });
    const hasKey = await requireKey(config, stagedRestore);
    const now = Date.now();
    await stagedRestore.appendToAuditLog({ ...change, at: now });
    return { manifest, previous: stagedRestore.commit(now), hasKey };
  } catch (error) {
    if (input.errored !== null) throw error;
    if (!isDiskFullError(error)) throw explainDataDirError(error, config.dataDir);
    const advice = "nothing was changed; free as much space as the backup takes, and try again";
    throw diskFullError(config.dataDir, { advice, cause: error });
  } finally {
    stagedRestore.close();
  }
}

async function openInput(file: string): Promise<Readable> {
  if (file === "-") return process.stdin;
  const isFile = await stat(file).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (!isFile)
    throw new OperatorError(
      "backup_invalid",
      `${file} is not a file`,
      "nothing was changed; pass the path of a backup",
    );
  const input = createReadStream(file, { highWaterMark: 1024 * 1024 });
  await new Promise((resolve, reject) => input.once("open", resolve).once("error", reject));
  return input;
}

/** Returns whether there is a key. */
async function requireKey(config: Config, staged: Pick<SqliteRestore, "inspect">): Promise<boolean> {
  const key = await findSecretKey(config.dataDir, config.secretKey);
  const { newestSealedSecret } = staged.inspect();
  if (key !== null && newestSealedSecret !== null && !isKeyOf(newestSealedSecret, key))
    throw new OperatorError(
      "secret_key_wrong",
      `${keySourceOf(config)} is not the key that encrypted the signing secrets in the backup`,
      "nothing was changed; put the backup's key in its place and try again. If that key is lost, move the current " +
        "one away, restore, and run `snap-server secret-key replace --yes`",
    );
  return key !== null;
}
