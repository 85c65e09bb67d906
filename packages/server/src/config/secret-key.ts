import { randomBytes } from "node:crypto";
import { link, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const KEY_BYTES = 32;
const KEY_MIN_CHARACTERS = 16;

/** Path of the key file that encrypts signing secrets if `SNAP_SECRET_KEY` is not set. */
export function secretKeyPath(dataDir: string): string {
  return join(dataDir, "secret.key");
}

/**
 * Reads the key file of a data folder; creates it with mode 0600 if the folder is new. Creation is atomic, so two
 * processes that start at the same time read the same key.
 *
 * @throws Error if the file is unreadable or too short, or if it is missing next to a database, whose signing
 * secrets a new key cannot decrypt.
 */
export async function readSecretKey(dataDir: string): Promise<string> {
  const file = secretKeyPath(dataDir);
  // Must precede the read of the key: another starting process creates the key first, then the database.
  const hasDatabase = (await readdir(dataDir)).some((name) => name.endsWith(".db"));
  const existing = await readIfExists(file);
  if (existing === null && hasDatabase)
    throw new Error(
      `${dataDir} contains a database but not its key file secret.key; restore the file, or set SNAP_SECRET_KEY to its ` +
        `content. If the key is lost, create a new one (openssl rand -hex 32 > ${file}) and rotate every token`,
    );
  const key = existing ?? (await createKey(file));
  if (key.length < KEY_MIN_CHARACTERS)
    throw new Error(
      `the key file ${file} has fewer than ${KEY_MIN_CHARACTERS} characters; restore it from a backup, ` +
        "or delete it and rotate every token",
    );
  return key;
}

/**
 * Returns the key of a data folder: `secretKey`, or else the content of its key file; `null` if there is neither.
 *
 * @throws Error if both exist and differ.
 */
export async function findSecretKey(dataDir: string, secretKey: string | null): Promise<string | null> {
  if (secretKey === null) return readIfExists(secretKeyPath(dataDir));
  await requireSameKey(dataDir, secretKey);
  return secretKey;
}

/**
 * @throws Error if the key file of the data folder contains a different key than `secretKey`: secrets encrypted
 * with both would end up side by side.
 */
export async function requireSameKey(dataDir: string, secretKey: string): Promise<void> {
  const file = secretKeyPath(dataDir);
  const existing = await readIfExists(file);
  if (existing !== null && existing !== secretKey)
    throw new Error(
      `SNAP_SECRET_KEY is not the key in ${file}, and neither decrypts what the other encrypted; unset the variable to ` +
        "use the file, or delete the file if no token was created with it",
    );
}

async function createKey(file: string): Promise<string> {
  const draft = `${file}.${process.pid}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, `${randomBytes(KEY_BYTES).toString("hex")}\n`, {
    mode: 0o600,
    flag: "wx",
    flush: true,
  });
  try {
    await link(draft, file);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    await rm(draft);
  }
  return (await readFile(file, "utf8")).trim();
}

async function readIfExists(file: string): Promise<string | null> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw new Error(
      `cannot read the key file ${file} (${codeOf(error)}); make it readable for the user that runs this process`,
      {
        cause: error,
      },
    );
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
