import type { Engine } from "@snap/engine";
import { findService } from "@snap/storage-sqlite";
import { access, constants, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Config } from "../../config.ts";
import { secretKeyPath } from "../../config/secret-key.ts";
import { explainDataDirError, permissionAdvice } from "../../data-dir-error.ts";
import { inspectDataFolder, lostDatabaseError } from "../../data-folder.ts";
import { openAdminEngine } from "../../wire.ts";
import { quoteIfNeeded } from "../../quote.ts";
import { describeBackup, describeCache } from "../../findings/describe-state.ts";
import { findingOf, ok, problem, warning, type Finding } from "../../findings/finding.ts";
import { checkRecords, findStorageProblem, SHARED_BITS } from "./check-records.ts";

const WRITABLE_BY_ALL = 0o002;

/** Checks that the data folder is writable and private, and checks its content. Creates no database. */
export async function checkEmbedded(config: Config): Promise<readonly Finding[]> {
  const { dataDir } = config;
  const filename = join(dataDir, "snap.db");
  try {
    const state = await inspectDataFolder(dataDir);
    if (state === "lost") throw lostDatabaseError(dataDir);
    if (state === "new") return [await checkCreation(dataDir)];
    const engine = await openAdminEngine(config, { keyCheck: "none" });
    try {
      return [describeService(filename), ...(await examine(config, engine))];
    } finally {
      await engine.close();
    }
  } catch (error) {
    return [findingOf(explainDataDirError(error, dataDir))];
  }
}

async function examine(config: Config, engine: Engine): Promise<readonly Finding[]> {
  const { dataDir } = config;
  const storageProblem = await findStorageProblem(engine);
  if (storageProblem !== undefined)
    return [
      // the message comes from SQLite or the system
      /disk is full|no space left/i.test(storageProblem)
        ? problem(
            "disk_full",
            `the disk that holds ${dataDir} is full: ${storageProblem}`,
            "free space on that disk",
          )
        : problem("storage_fails", storageProblem, permissionAdvice(dataDir)),
    ];
  return [
    await checkAccess(dataDir),
    ...describeCache(await engine.cacheStats()),
    describeBackup(await engine.lastBackupAt(), Date.now()),
    ...(await checkRecords(config, engine)),
  ];
}

/**
 * Only its owner can make a folder private. The root of a Kubernetes volume, for example, belongs to root, and its
 * group is the service's. The files in the folder are private, so what matters in another user's folder is who can
 * replace them.
 */
async function checkAccess(folder: string): Promise<Finding> {
  const { mode, uid: owner } = await stat(folder);
  const user = process.getuid?.() ?? owner;
  const isOwn = user === owner || user === 0;
  if ((mode & (isOwn ? SHARED_BITS : WRITABLE_BY_ALL)) === 0) return ok("storage", `${folder} is writable`);
  const makePrivate = `chmod 700 ${quoteIfNeeded(folder)}`;
  return warning(
    "folder_open",
    `${folder} is accessible to other users`,
    isOwn ? makePrivate : `as root: chown ${user} ${quoteIfNeeded(folder)} && ${makePrivate}`,
  );
}

function describeService(filename: string): Finding {
  const service = findService(filename);
  if (service === null) return ok("service", "not running");
  const name = service === "unknown" ? "an unknown process" : `process ${service.pid} on ${service.host}`;
  return ok("service", `running as ${name}; a second one would not start on this folder`);
}

/** The first start creates what is missing, which is right only for a new service. */
async function checkCreation(folder: string): Promise<Finding> {
  if (await exists(secretKeyPath(folder)))
    return warning(
      "database_missing",
      `${folder} has a secret key, but no snap.db: the service would start with a new, empty one`,
      "restore the latest backup: snap-server restore FILE; start the service only if it is new",
    );
  let parent = folder;
  while (!(await exists(parent)) && parent !== dirname(parent)) parent = dirname(parent);
  try {
    await access(parent, constants.W_OK);
    return ok(
      "storage",
      `the database in ${folder} will be created on the first start; if the service has run before, set SNAP_DATA_DIR to its folder`,
    );
  } catch {
    return problem(
      "folder_not_writable",
      `cannot create the database in ${folder}: ${parent} is not writable`,
      permissionAdvice(folder),
    );
  }
}

/** @throws Error if a folder above it cannot be entered. */
async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
