import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { publicUrlOf, type Config } from "./config.ts";

/** Returns the file that tells commands the address of the service: their SNAP_PORT may differ from the service's. */
function fileOf(dataDir: string): string {
  return join(dataDir, "address");
}

/** Writes a file with the origin that clients use; returns a function that deletes the file. */
export async function writeServedAddress(dataDir: string, origin: string): Promise<() => Promise<void>> {
  const file = fileOf(dataDir);
  await writeFile(`${file}.new`, `${origin}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return () => rm(file, { force: true });
}

/** Returns the origin of the service running on the data folder, or `null`. A killed service leaves a stale one. */
async function readServedAddress(dataDir: string): Promise<string | null> {
  const text = await readFile(fileOf(dataDir), "utf8").then(
    (content) => content.trim(),
    () => "",
  );
  return /^https?:\/\/[^\s/]+$/.test(text) && URL.canParse(text) ? text : null;
}

/** Returns the origin at which clients reach the service, for the output of a command; `null` if it is unknown. */
export async function serviceOrigin(config: Config): Promise<string | null> {
  const { publicUrl, port, shared, dataDir } = config;
  const known = publicUrl ?? (shared === null ? await readServedAddress(dataDir) : null);
  // 0 picks a free port
  return known ?? (port === 0 ? null : publicUrlOf(config, port));
}
