import type { Engine } from "@snap/engine";
import type { PoolMode } from "@snap/storage-postgres";
import type { Config } from "../../config.ts";
import { describePooler } from "../../operations/describe-pooler.ts";
import { openSharedCache } from "../../open-storage.ts";
import { openAdminEngine } from "../../wire.ts";
import { describeCache, describeClocks } from "../../findings/describe-state.ts";
import { findingOf, ok, problem, reasonOf, warning, type Finding } from "../../findings/finding.ts";
import { OperatorError } from "../../operator-error.ts";
import { checkRecords, findStorageProblem } from "./check-records.ts";

/**
 * Checks that PostgreSQL is writable, Redis is reachable, the clocks agree, and the key decrypts the stored secrets. Creates
 * nothing in an empty database.
 */
export async function checkShared(
  config: Config,
  { redisUrl }: NonNullable<Config["shared"]>,
): Promise<readonly Finding[]> {
  const redisErrors: unknown[] = [];
  const onRedisError = (error: unknown): void => void redisErrors.push(error);
  const poolerFindings: Finding[] = [];
  const onPooler = (mode: PoolMode): void => void poolerFindings.push(poolerFinding(mode));
  let engine: Engine;
  try {
    engine = await openAdminEngine(config, {
      keyCheck: "none",
      beforeCreation: rejectCreation,
      onPooler,
      onRedisError,
    });
  } catch (error) {
    if (!(error instanceof OperatorError)) return [unreachableFinding(error)];
    const cache = openSharedCache({ ...config, redisUrl }, { onRedisError });
    return [
      findingOf(error),
      ...(await cache.then((open) => checkCacheAlone(open, { config, redisErrors }))),
    ];
  }
  try {
    const storageProblem = await findStorageProblem(engine);
    const storage =
      storageProblem === undefined ? ok("storage", "PostgreSQL is writable") : storageFinding(storageProblem);
    const findings = [
      storage,
      ...poolerFindings,
      ...describeRedis(await engine.cacheStats(), { config, redisErrors }),
      ...describeClocks(engine.clockSkews()),
    ];
    return storageProblem === undefined ? [...findings, ...(await checkRecords(config, engine))] : findings;
  } catch (error) {
    return [storageFinding(`storage: ${reasonOf(error)}`)];
  } finally {
    await engine.close();
  }
}

function storageFinding(message: string): Finding {
  const advice =
    "see the PostgreSQL log: its disk might be full, the server might be read-only, or the role might lack a privilege";
  return problem("storage_fails", message, advice);
}

function rejectCreation(): never {
  throw new OperatorError(
    "database_empty",
    "the PostgreSQL database is empty: the service will create its tables when it first starts",
    "if the service has run before, SNAP_DATABASE_URL names another database: correct it, or load the dump into this one",
  );
}

function unreachableFinding(error: unknown): Finding {
  const reason = reasonOf(error);
  return problem(
    reason.startsWith("SNAP_REDIS_URL") ? "redis_unreachable" : "database_unreachable",
    reason,
    "correct the variable, or start the server that it points to",
  );
}

function poolerFinding(mode: PoolMode): Finding {
  const { message, advice } = describePooler(mode);
  return advice === null ? ok("pooler", message) : warning("pooler_transaction_mode", message, advice);
}

interface CacheContext {
  readonly config: Config;
  readonly redisErrors: readonly unknown[];
}

async function checkCacheAlone(
  cache: Awaited<ReturnType<typeof openSharedCache>>,
  context: CacheContext,
): Promise<readonly Finding[]> {
  try {
    return describeRedis(await cache.renderings.stats(), context);
  } finally {
    await cache.close();
  }
}

/** A Redis outage does not stop the service, but the service starts during one only if Redis is optional. */
function describeRedis(
  stats: Parameters<typeof describeCache>[0],
  { config, redisErrors: [error] }: CacheContext,
): readonly Finding[] {
  if (error === undefined) return [ok("cache", "Redis is reachable"), ...describeCache(stats)];
  return [
    config.redisOptional
      ? warning(
          "redis_unreachable",
          reasonOf(error),
          "start Redis, or correct SNAP_REDIS_URL; until then the processes share neither rate limits nor cached renderings",
        )
      : problem(
          "redis_unreachable",
          reasonOf(error),
          "start Redis, or correct SNAP_REDIS_URL; without it the service starts only with SNAP_REDIS_OPTIONAL=on",
        ),
  ];
}
