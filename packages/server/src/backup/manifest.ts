import * as z from "zod";
import { OperatorError } from "../operator-error.ts";

/*
 * A backup is a tar file with, in this order: manifest.json, snap.db, snap.db-documents/ID for each document,
 * snap.db-renderings/ID for each cached rendering, and SHA256SUMS, the input of `sha256sum --check` for all of these.
 * Without SHA256SUMS, a backup is incomplete.
 */

export const NAMES = {
  manifest: "manifest.json",
  database: "snap.db",
  documents: "snap.db-documents/",
  renderings: "snap.db-renderings/",
  checksums: "SHA256SUMS",
} as const;

const FORMAT = "snap-backup-1";

const schema = z.object({
  format: z.literal(FORMAT),
  made_at: z.iso.datetime(),
  schema_version: z.int().min(1),
  release: z.string().max(64),
  includes_renderings: z.boolean(),
});

export type Manifest = z.infer<typeof schema>;

export function makeManifest(facts: Omit<Manifest, "format">): Manifest {
  return { format: FORMAT, ...facts };
}

/** @throws OperatorError if it is not a manifest, or if its schema version is above `schemaVersion`. */
export function readManifest(text: string, schemaVersion: number): Manifest {
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) throw invalidBackup("its manifest.json does not have the format of this release");
  const { schema_version: version, release } = parsed.data;
  if (version > schemaVersion)
    throw new OperatorError(
      "schema_newer",
      `the backup was made by a newer release, ${release} (schema version ${version}; this release supports up to ${schemaVersion})`,
      "restore it with that release or a newer one",
    );
  return parsed.data;
}

export function invalidBackup(reason: string, cause?: unknown): OperatorError {
  return new OperatorError(
    "backup_invalid",
    `this is not a complete backup: ${reason}`,
    "nothing was changed; use another backup",
    { cause },
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
