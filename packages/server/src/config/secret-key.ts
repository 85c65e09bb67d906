import { randomBytes } from "node:crypto";
import { link, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const KEY_BYTES = 32;
const KEY_MIN_CHARACTERS = 16;

/** Where the key is kept that encrypts signing secrets, unless `SNAP_SECRET_KEY` brings one. */
export function secretKeyPath(dataDir: string): string {
  return join(dataDir, "secret.key");
}

/**
 * Reads the key file of an existing data folder, and makes it, mode 0600, when the folder is new. It
 * appears whole or not at all, so that of two processes that start at once both read the same key.
 *
 * @throws Error when it can't be read or holds too little, and when it is missing beside a database:
 * another key could not open the signing secrets in there.
 */
export async function readSecretKey(dataDir: string): Promise<string> {
  const file = secretKeyPath(dataDir);
  // Looked at before the key: another process that starts now makes the key first, then the database.
  const used = (await readdir(dataDir)).some((name) => name.endsWith(".db"));
  const kept = await readIfThere(file);
  if (kept === null && used)
    throw new Error(
      `${dataDir} contains a database but not its key file secret.key; restore the file, or set SNAP_SECRET_KEY to its ` +
        `content. If the key is lost, create a new one (openssl rand -hex 32 > ${file}) and rotate every token`,
    );
  const key = kept ?? (await makeKey(file));
  if (key.length < KEY_MIN_CHARACTERS)
    throw new Error(
      `the key file ${file} has fewer than ${KEY_MIN_CHARACTERS} characters; restore it from a backup, ` +
        "or delete it and rotate every token",
    );
  return key;
}

/**
 * The key that a data folder was served with: `secretKey`, or else what its key file holds; `null` without either.
 *
 * @throws Error when these are two keys.
 */
export async function findSecretKey(dataDir: string, secretKey: string | null): Promise<string | null> {
  if (secretKey === null) return readIfThere(secretKeyPath(dataDir));
  await requireSameKey(dataDir, secretKey);
  return secretKey;
}

/**
 * @throws Error when the key file of the data folder holds another key than `secretKey`: what one has
 * sealed the other can't open, and nobody would know which it was.
 */
export async function requireSameKey(dataDir: string, secretKey: string): Promise<void> {
  const file = secretKeyPath(dataDir);
  const kept = await readIfThere(file);
  if (kept !== null && kept !== secretKey)
    throw new Error(
      `SNAP_SECRET_KEY is not the key in ${file}, and neither decrypts what the other encrypted; unset the variable to ` +
        "use the file, or delete the file if no token was created with it",
    );
}

async function makeKey(file: string): Promise<string> {
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

async function readIfThere(file: string): Promise<string | null> {
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
