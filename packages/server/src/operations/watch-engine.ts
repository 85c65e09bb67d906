import { describeSkew } from "@snap/engine/internals";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { OpenEngineOptions } from "../wire.ts";
import { describePooler } from "./describe-pooler.ts";
import type { Metrics } from "./metrics/create-metrics.ts";
import { watchBatches } from "./watch-batches.ts";
import { watchCache } from "./watch-cache.ts";

/** Returns callbacks for the engine and its storage that log and count their events. */
export function watchEngine({
  logger,
  metrics,
  role,
}: {
  readonly logger: Logger;
  readonly metrics: Metrics | false;
  readonly role: Config["role"];
}): Pick<OpenEngineOptions, Extract<keyof OpenEngineOptions, "beforeMigration" | `on${string}`>> {
  return {
    ...watchBatches({ logger, metrics }),
    onEvicted: watchCache({ logger, metrics }),
    ...(metrics && { onEvent: metrics.countEvent, onConnectionWait: metrics.countConnectionWait }),
    beforeMigration: (migration) =>
      logger.warn(migration, "migrating the database; older releases cannot open it afterwards"),
    onBackgroundError: (error) => logger.warn({ err: error }, "background work failed"),
    onClockSkew: (skew) => logger.warn({ server: skew.server, skew_ms: skew.skewMs }, describeSkew(skew)),
    onQuarantined: ({ accountId, reason, endsAt }) =>
      logger.warn(
        { account: accountId, reason, ends_at: new Date(endsAt).toISOString() },
        "account quarantined: it renders in an isolated browser, one page at a time",
      ),
    onPooler(mode) {
      const { message, advice } = describePooler(mode);
      if (advice !== null && role !== "api") logger.warn(`${message}; ${advice}`);
    },
    onBucketRecovered: () => logger.info("the object store works again: large renderings are cached"),
    onRedisRecovered: () =>
      logger.info("Redis is reachable again: rate limits and cached renderings are shared"),
  };
}
