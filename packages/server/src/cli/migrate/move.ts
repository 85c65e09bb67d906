import { AdminError, systemClock, transfer, type TransferOutcome, type TransferRequest } from "@snap/engine";
import { createAuditLog, findForeignSecrets, messageOf } from "@snap/engine/internals";
import type { TransferSource } from "@snap/engine/ports";
import type { MoveConfig } from "../../config.ts";
import { findSecretKey, keySourceOf, secretKeyPath } from "../../config/secret-key.ts";
import { announceChange } from "../audit-change.ts";
import { formatNoun } from "../../format.ts";
import { openMoveSource, openMoveTarget } from "../../open-storage.ts";
import { serverOf } from "../../operations/describe-start.ts";
import { requireMatchingKey } from "../../wire.ts";

export type MoveRequest = Omit<MoveConfig, "databaseUrl"> & { readonly databaseUrl: string };

export interface MoveReport extends TransferOutcome {
  readonly dataDir: string;
  /** Host, port and database name, without credentials. */
  readonly database: string;
  readonly key: KeyLocation;
}

/** Where the key was found; `unknown` if it was not. */
export type KeyLocation =
  | { readonly where: "file"; readonly path: string }
  | { readonly where: "variable" }
  | { readonly where: "unknown" };

const SHOWN_IDS_MAX = 10;

/** Moves a data folder to a database. If it is interrupted, the next call moves the rest. */
export async function move({
  dataDir,
  databaseUrl,
  secretKey,
  onProgress,
}: MoveRequest & Pick<Required<TransferRequest>, "onProgress">): Promise<MoveReport> {
  const database = serverOf(databaseUrl);
  const source = await openMoveSource(dataDir);
  try {
    const { found, key } = await requireKey(source, { dataDir, secretKey });
    const target = await openMoveTarget(databaseUrl).catch((error: unknown) => {
      throw new Error(`${database}: ${messageOf(error)}`, { cause: error });
    });
    try {
      if (key !== null)
        await requireMatchingKey(target, {
          secretKey: key,
          from: keySourceOf({ secretKey, dataDir }),
        });
      const outcome = await transfer({ source, target, onProgress });
      const audit = createAuditLog({ store: target.audit, clock: systemClock });
      if (!outcome.wasFinished) await announceChange(audit, [`database ${database}`]);
      return { ...outcome, dataDir, database, key: found };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** @throws AdminError if there is a key that does not decrypt every token's signing secret. */
async function requireKey(
  source: TransferSource,
  { dataDir, secretKey }: Pick<MoveRequest, "dataDir" | "secretKey">,
): Promise<{ readonly found: KeyLocation; readonly key: string | null }> {
  const key = await findSecretKey(dataDir, secretKey);
  if (key === null) return { key, found: { where: "unknown" } };
  const path = secretKeyPath(dataDir);
  const foreign = await findForeignSecrets(source, key);
  if (foreign.length > 0) {
    const ids = foreign.slice(0, SHOWN_IDS_MAX).join(", ") + (foreign.length > SHOWN_IDS_MAX ? ", …" : "");
    throw new AdminError(
      `${secretKey === null ? `the key in ${path}` : "SNAP_SECRET_KEY"} does not decrypt the signing secrets of ` +
        `${formatNoun(foreign.length, "token")} (${foreign.length === 1 ? "id" : "ids"} ${ids}); restore the right key, or unset SNAP_DATABASE_URL and replace these secrets with \`snap-server secret-key replace --yes\``,
    );
  }
  return { key, found: secretKey === null ? { where: "file", path } : { where: "variable" } };
}
