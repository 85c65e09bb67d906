import type { ListedTarget, TargetPolicy } from "@snap/engine";
import { publicUrlOf, type Config } from "./config.ts";

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  "postgres:": 5432,
  "postgresql:": 5432,
  "redis:": 6379,
  "rediss:": 6379,
};

/**
 * The targets of a command that renders without serving: what the configuration allows and denies. The service's
 * databases are closed to pages.
 *
 * @param allow - Targets to allow in addition to those of the configuration.
 */
export function targetPolicy(config: Config, allow: readonly ListedTarget[] = []): TargetPolicy {
  const { allowTargets, denyTargets, shared } = config;
  const urls = shared === null ? [] : [new URL(shared.databaseUrl), new URL(shared.redisUrl)];
  return {
    allow: [...allowTargets, ...allow],
    deny: denyTargets,
    ownHostnames: [],
    ownPorts: urls.map(({ hostname, port, protocol }) => ({
      hostname,
      port: port === "" ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port),
    })),
  };
}

/** Like `targetPolicy`, for a service: also closes its own name and port. */
export function servicePolicy(config: Config, allow: readonly ListedTarget[] = []): TargetPolicy {
  const policy = targetPolicy(config, allow);
  const { host: hostname, port } = config;
  return {
    ...policy,
    ownHostnames: [new URL(publicUrlOf(config, port)).hostname],
    ownPorts: [...(policy.ownPorts ?? []), { hostname, port }],
  };
}
