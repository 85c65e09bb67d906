import { SECRET_KEY_MIN_CHARACTERS } from "@snap/engine/internals";
import { randomBytes } from "node:crypto";
import { chown, link, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperatorError } from "../operator-error.ts";

const KEY_BYTES = 32;

/** Advice for a key that does not decrypt the stored secrets. */
const RESTORE_KEY_ADVICE =
  "restore the right key; if it is lost, `snap-server secret-key replace`, with --yes, gives the tokens " +
  "new signing secrets";

/** Returns the path of the file with the secret key that is used if `SNAP_SECRET_KEY` is not set. */
export function secretKeyPath(dataDir: string): string {
  return join(dataDir, "secret.key");
}

/** Returns the error for a key that does not decrypt the stored secrets. */
export function wrongKeyError(source: string): OperatorError {
  return new OperatorError(
    "secret_key_wrong",
    `${source} is not the key that encrypted the stored signing secrets`,
    RESTORE_KEY_ADVICE,
  );
}

/**
 * Returns what messages call the source of the secret key: the path of the key file, or `SNAP_SECRET_KEY`, even if
 * `SNAP_SECRET_KEY_FILE` names a file with it.
 */
export function keySourceOf({
  secretKey,
  dataDir,
}: {
  readonly secretKey: string | null;
  readonly dataDir: string;
}): string {
  return secretKey === null ? secretKeyPath(dataDir) : "SNAP_SECRET_KEY";
}

/**
 * Reads the key file of a data folder; creates it with mode 0600 if the folder is new. Creation is atomic, so two
 * processes that start at the same time read the same key.
 *
 * @param options.isLost - Also creates the file next to a database, whose signing secrets the new key cannot decrypt.
 * @throws OperatorError if the file is unreadable or too short, or missing next to a database.
 */
export async function readSecretKey(dataDir: string, { isLost = false } = {}): Promise<string> {
  const file = secretKeyPath(dataDir);
  // Must precede the read of the key: another starting process creates the key first, then the database.
  const hasDatabase = (await readdir(dataDir)).some((name) => name.endsWith(".db"));
  const existing = await readIfExists(file);
  if (existing === null && hasDatabase && !isLost)
    throw new OperatorError(
      "secret_key_missing",
      `${dataDir} contains a database but not its key file secret.key`,
      "restore the file, or set SNAP_SECRET_KEY to its content; if it is lost, " +
        "`snap-server secret-key replace`, with --yes, creates a new one and gives the tokens new signing secrets",
    );
  return existing ?? createKey(file);
}

/**
 * Returns the key of a data folder: `secretKey`, or else the contents of its key file; `null` if there is neither.
 *
 * @throws OperatorError if both exist and differ, or the file is unreadable or too short.
 */
export async function findSecretKey(dataDir: string, secretKey: string | null): Promise<string | null> {
  if (secretKey === null) return readIfExists(secretKeyPath(dataDir));
  await requireSameKey(dataDir, secretKey);
  return secretKey;
}

/**
 * @throws OperatorError if the key file of the data folder contains a different key than `secretKey`, because secrets
 * encrypted with different keys would be mixed; or if the file is unreadable or too short.
 */
export async function requireSameKey(dataDir: string, secretKey: string): Promise<void> {
  const file = secretKeyPath(dataDir);
  const existing = await readIfExists(file);
  if (existing !== null && existing !== secretKey)
    throw new OperatorError(
      "secret_key_wrong",
      `SNAP_SECRET_KEY is not the key in ${file}, and neither decrypts what the other encrypted`,
      "unset the variable to use the file, or move the file away to use the variable",
    );
}

async function createKey(file: string): Promise<string> {
  const draft = `${file}.${process.pid}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, `${randomBytes(KEY_BYTES).toString("hex")}\n`, {
      mode: 0o600,
      flag: "wx",
      flush: true,
    });
    // a command run by root must not leave a key that the service's user cannot read
    if (process.getuid?.() === 0) {
      const { uid, gid } = await stat(dirname(file));
      await chown(draft, uid, gid);
    }
    await link(draft, file);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, "utf8")).trim();
}

/** @throws OperatorError if the file is unreadable or too short. */
async function readIfExists(file: string): Promise<string | null> {
  let key: string;
  try {
    key = (await readFile(file, "utf8")).trim();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw new OperatorError(
      "secret_key_unreadable",
      `cannot read the key file ${file} (${codeOf(error)})`,
      "make it readable by the user that runs this process",
    );
  }
  if (key.length < SECRET_KEY_MIN_CHARACTERS)
    throw new OperatorError(
      "secret_key_unreadable",
      `the key file ${file} has fewer than ${SECRET_KEY_MIN_CHARACTERS} characters`,
      "restore it from a backup; or, if SNAP_SECRET_KEY is set to the right key, delete the file; if the key is lost, " +
        "delete the file and run `snap-server secret-key replace --yes`",
    );
  return key;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
