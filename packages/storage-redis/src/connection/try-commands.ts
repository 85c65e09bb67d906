import { readTime, type ScriptedClient } from "./client.ts";

const VERSION_MIN = 7;

/** The message follows "Redis at host". */
export class VersionError extends Error {}

/** Sends every command that the storage uses, to detect missing permissions on opening. */
export async function tryCommands(client: ScriptedClient, keyPrefix: string): Promise<void> {
  const [, version = ""] = /^redis_version:(\S+)/m.exec(await client.info()) ?? [];
  if (Number.parseInt(version, 10) < VERSION_MIN)
    throw new VersionError(`has version ${version}; ${VERSION_MIN} or newer is required`);
  const key = `${keyPrefix}probe`;
  await client.ping();
  await client.probe(key);
  await readTime(client);
  await client.consume(`${key}:budget`, { limit: 1, windowMs: 1000, now: 0 });
  await client.acquireLease(`${key}:lease`, { holder: "probe", leaseMs: 1000, priority: "batch" });
  await client.releaseLease(`${key}:lease`, { holder: "probe", lingerMs: 0 });
  await client.unlink([`${key}:budget`, `${key}:lease`]);
  const [stagedKey, name] = [`${key}:staged`, "probe"];
  await client.tryTransfer(stagedKey);
  const maxBytes = Number.MAX_SAFE_INTEGER;
  await client.storeRendering(keyPrefix, {
    stagedKey,
    name,
    accountId: "probe",
    digest: "",
    bytes: 1,
    storedAt: 0,
    expiresAt: 0,
    maxBytes,
  });
  await client.evictRenderings(keyPrefix, { maxBytes });
  await client.pruneRenderings(keyPrefix, { now: 0, limit: 0 });
  await client.deleteRenderings(keyPrefix, [name]);
}
