import { access, constants, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ClockSkew, Engine } from "@snap/engine";
import { describeSkew, isExcessiveSkew, isNoticeableSkew } from "@snap/engine/internals";
import type { PoolMode } from "@snap/storage-postgres";
import type { Config } from "../../config.ts";
import { AdvisedError } from "../../advised-error.ts";
import { RESTORE_KEY } from "../../config/secret-key.ts";
import { describePooler } from "../../operations/describe-pooler.ts";
import { keySourceOf, openAdminEngine } from "../../wire.ts";
import { formatBytes } from "../output.ts";
import { ok, problem, reasonOf, warning, type Finding } from "./finding.ts";

/** Permission bits of group and others. */
const SHARED_BITS = 0o077;

export function checkStorage(config: Config): Promise<readonly Finding[]> {
  return config.shared === null ? checkEmbedded(config) : checkShared(config);
}

/** Checks that PostgreSQL is writable, Redis is reachable, the clocks agree, and the key decrypts the stored secrets. */
async function checkShared(config: Config): Promise<readonly Finding[]> {
  const errors: unknown[] = [];
  const poolers: Finding[] = [];
  let engine: Engine;
  try {
    engine = await openAdminEngine(config, {
      keyCheck: "none",
      onPooler: (mode) => poolers.push(findPooler(mode)),
      onBackgroundError: (error) => errors.push(error),
    });
  } catch (error) {
    if (error instanceof AdvisedError) return [findingOf(error)];
    return [problem("storage", reasonOf(error), "correct the variable, or start the server it points to")];
  }
  try {
    const { reasons } = await engine.health();
    const fault = reasons.find((reason) => reason.startsWith("storage"));
    const storage =
      fault === undefined
        ? ok("storage", "PostgreSQL is writable")
        : problem("storage", fault, "see the PostgreSQL log");
    const [cacheError] = errors;
    // The service works through an outage of Redis, but starts during one only if it may.
    const report = config.redisOptional ? warning : problem;
    const cache =
      cacheError === undefined
        ? [ok("cache", "Redis is reachable"), ...(await checkRoom(engine))]
        : [
            report(
              "cache",
              reasonOf(cacheError),
              config.redisOptional
                ? "the service starts, but its processes share neither rate limits nor cached renderings"
                : "correct SNAP_REDIS_URL or what the message names; the service does not start before, unless SNAP_REDIS_OPTIONAL=on",
            ),
          ];
    const findings = [storage, ...poolers, ...cache, ...checkClocks(engine.clockSkews())];
    return fault === undefined ? [...findings, await checkKey(config, engine)] : findings;
  } finally {
    await engine.close();
  }
}

function findPooler(mode: PoolMode): Finding {
  const { message, advice } = describePooler(mode);
  return advice === null ? ok("pooler", message) : warning("pooler", message, advice);
}

/** Compares the clock of this machine with those of the servers that responded. */
function checkClocks(skews: readonly ClockSkew[]): readonly Finding[] {
  const noticeable = skews.filter(isNoticeableSkew);
  if (noticeable.length === 0)
    return skews.length === 0
      ? []
      : [ok("clock", `agrees with ${skews.map(({ server }) => server).join(" and ")}`)];
  const message = noticeable.map(describeSkew).join("; ");
  const advice = "synchronize the clocks of all machines: start chrony, or timedatectl set-ntp true";
  return [
    noticeable.some(isExcessiveSkew)
      ? problem("clock", `${message}: beyond 2 s the service is not ready`, advice)
      : warning("clock", message, advice),
  ];
}

/** Checks that the data folder is writable and private, and that the key decrypts the stored secrets. */
async function checkEmbedded(config: Config): Promise<readonly Finding[]> {
  const mode = await modeOf(config.dataDir);
  if (mode === null || (await modeOf(join(config.dataDir, "snap.db"))) === null)
    return [await checkCreation(config.dataDir)];
  let engine: Engine;
  try {
    engine = await openAdminEngine(config, { keyCheck: "none" });
  } catch (error) {
    if (error instanceof AdvisedError) return [findingOf(error)];
    return [
      problem(
        "storage",
        reasonOf(error),
        `make ${config.dataDir} writable for this user, or set SNAP_DATA_DIR`,
      ),
    ];
  }
  try {
    const { reasons } = await engine.health();
    const fault = reasons.find((reason) => reason.startsWith("storage"));
    if (fault !== undefined)
      return [
        problem("storage", fault, `free disk space, and make ${config.dataDir} writable for this user`),
      ];
    const storage =
      (mode & SHARED_BITS) === 0
        ? ok("storage", `${config.dataDir} is writable`)
        : warning("storage", `${config.dataDir} is open to other users`, `chmod 700 ${config.dataDir}`);
    return [storage, ...(await checkRoom(engine)), await checkKey(config, engine)];
  } finally {
    await engine.close();
  }
}

/** Reports how full the cache is, and what is wrong with where it is stored. */
async function checkRoom(engine: Engine): Promise<readonly Finding[]> {
  const stats = await engine.cacheStats();
  if (stats === null) return [];
  const { bytes, maxBytes, freeBytes, warnings } = stats;
  const most = maxBytes === null ? "" : ` of at most ${formatBytes(maxBytes)}`;
  const free = freeBytes === null ? "" : `, ${formatBytes(freeBytes)} free`;
  return [
    ok("cache", `renderings take ${formatBytes(bytes)}${most}${free}`),
    ...warnings.map(({ message, advice }) => warning("cache", message, advice)),
  ];
}

/** A migration is not a problem: the service announces it, and starts. */
function findingOf({ check, problem: message, advice }: AdvisedError): Finding {
  return check === "schema" ? warning(check, message, advice) : problem(check, message, advice);
}

/** Doctor creates nothing: the first start creates what is missing. */
async function checkCreation(folder: string): Promise<Finding> {
  let parent = folder;
  while ((await modeOf(parent)) === null && parent !== dirname(parent)) parent = dirname(parent);
  try {
    await access(parent, constants.W_OK);
    return ok("storage", `the database in ${folder} will be created at the first start`);
  } catch {
    return problem(
      "storage",
      `cannot create the database in ${folder}: ${parent} is not writable`,
      "set SNAP_DATA_DIR to a folder that this user can write to",
    );
  }
}

async function checkKey(config: Config, engine: Engine): Promise<Finding> {
  const source = keySourceOf(config);
  const mode = config.secretKey === null ? ((await modeOf(source)) ?? 0) : 0;
  if ((await engine.tokens.checkSecretKey()) === "differs")
    return problem(
      "secret key",
      `${source} is not the key that encrypted the stored signing secrets`,
      RESTORE_KEY,
    );
  if ((mode & SHARED_BITS) !== 0)
    return warning("secret key", `${source} is open to other users`, `chmod 600 ${source}`);
  return ok("secret key", source);
}

async function modeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mode }) => mode,
    () => null,
  );
}
