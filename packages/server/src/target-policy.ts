import type { ListedTarget, TargetPolicy } from "@snap/engine";
import { publicUrlOf, type Config } from "./config.ts";

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  "postgres:": 5432,
  "postgresql:": 5432,
  "redis:": 6379,
  "rediss:": 6379,
  "http:": 80,
  "https:": 443,
};

/**
 * The targets of a command that renders without serving: what the configuration allows and denies.
 * The service's databases are blocked, and so are object stores on private addresses, unless an allowed target names
 * their port.
 *
 * @param allow - Targets to allow in addition to those of the configuration.
 */
export function targetPolicy(config: Config, allow: readonly ListedTarget[] = []): TargetPolicy {
  const { allowTargets, denyTargets, shared, stores } = config;
  const urls = shared === null ? [] : [new URL(shared.databaseUrl), new URL(shared.redisUrl)];
  return {
    allow: [...allowTargets, ...allow],
    deny: denyTargets,
    ownHostnames: [],
    ownPorts: [
      ...urls.map(hostPortOf),
      ...stores.map(({ endpoint, bucket, addressing }) => {
        const { hostname, port } = hostPortOf(new URL(endpoint));
        return {
          hostname: addressing === "virtual" ? `${bucket}.${hostname}` : hostname,
          port,
          isShared: true,
        };
      }),
    ],
  };
}

function hostPortOf({ hostname, port, protocol }: URL): { readonly hostname: string; readonly port: number } {
  return { hostname, port: port === "" ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port) };
}

/** Like `targetPolicy`, for a service: also blocks its own name and port. */
export function servicePolicy(config: Config, allow: readonly ListedTarget[] = []): TargetPolicy {
  const policy = targetPolicy(config, allow);
  const { host: hostname, port } = config;
  return {
    ...policy,
    ownHostnames: [new URL(publicUrlOf(config, port)).hostname],
    ownPorts: [...(policy.ownPorts ?? []), { hostname, port }],
  };
}
