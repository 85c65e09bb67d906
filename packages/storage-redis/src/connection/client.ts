import { createClient, defineScript, ErrorReply, type CommandParser } from "@redis/client";
import { consumeScript } from "../rate-limiter.ts";
import { releaseLeaseScript, acquireLeaseScript } from "../render-leases.ts";
import {
  evictRenderingsScript,
  deleteRenderingsScript,
  pruneRenderingsScript,
  purgeRenderingsScript,
  storeRenderingScript,
} from "../renderings/scripts.ts";

/** Longest wait for a connection. */
export const CONNECT_TIMEOUT_MS = 3000;
/** A connection without traffic for this long is considered dead; pings keep an idle one alive. */
const IDLE_TIMEOUT_MS = 15_000;
const PING_INTERVAL_MS = 5000;
const MAX_RECONNECT_DELAY_MS = 1000;
/** Maximum number of commands awaiting responses. */
const MAX_PENDING_COMMANDS = 50_000;

const PROBE_TTL_MS = 1000;

/**
 * A write, because a replica or a Redis whose disk has failed still serves reads. It is small, and succeeds
 * even when Redis is out of memory.
 */
const probeScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `#!lua flags=allow-oom
redis.call("SET", KEYS[1], "", "PX", ${PROBE_TTL_MS})`,
  parseCommand: (parser: CommandParser, key: string) => parser.pushKey(key),
  transformReply: (): void => {},
});

/**
 * Uses the commands that a transfer sends, except `UNLINK`, to detect missing permissions even when Redis is out of
 * memory.
 */
const tryTransferScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `#!lua flags=allow-oom
redis.call("SET", KEYS[1], "", "PX", ${PROBE_TTL_MS})
redis.call("APPEND", KEYS[1], "")
redis.call("STRLEN", KEYS[1])
redis.call("GETRANGE", KEYS[1], 0, 0)`,
  parseCommand: (parser: CommandParser, key: string) => parser.pushKey(key),
  transformReply: (): void => {},
});

/** Sent by digest, or in full if Redis does not know the digest yet. */
const SCRIPTS = {
  probe: probeScript,
  tryTransfer: tryTransferScript,
  consume: consumeScript,
  acquireLease: acquireLeaseScript,
  releaseLease: releaseLeaseScript,
  storeRendering: storeRenderingScript,
  evictRenderings: evictRenderingsScript,
  deleteRenderings: deleteRenderingsScript,
  pruneRenderings: pruneRenderingsScript,
  purgeRenderings: purgeRenderingsScript,
};

export type ScriptedClient = ReturnType<typeof configure>;

/**
 * Creates a client that is not connected yet. It does not queue commands while disconnected, and reconnects
 * until `shouldGiveUp` returns true for a failure.
 *
 * @throws Error for a malformed URL. The message does not quote the URL, which may contain a password.
 */
export function createScriptedClient(
  url: string,
  shouldGiveUp: (failure: unknown) => boolean,
): ScriptedClient {
  try {
    // parsed here first, because the client accepts an empty string as the local Redis
    return configure(new URL(url).href, shouldGiveUp);
  } catch {
    throw new Error("The Redis URL must look like redis://user:password@host:6379/0, or rediss://… for TLS.");
  }
}

// the inferred type has the scripts as methods
const configure = (url: string, shouldGiveUp: (failure: unknown) => boolean) =>
  createClient({
    url,
    scripts: SCRIPTS,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_PENDING_COMMANDS,
    pingInterval: PING_INTERVAL_MS,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
      reconnectStrategy: (retries, failure) =>
        !shouldGiveUp(failure) && Math.min(50 * 2 ** Math.min(retries, 10), MAX_RECONNECT_DELAY_MS),
    },
  });

/** Returns the time on the Redis server, in epoch milliseconds. */
export async function readTime(client: ScriptedClient): Promise<number> {
  const [seconds, microseconds] = await client.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}

/** Returns whether retrying is pointless: Redis rejects the password, the database number or a command. */
export function isPermanent(failure: unknown): boolean {
  return (
    failure instanceof ErrorReply &&
    /^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?!max number of clients))/.test(failure.message)
  );
}

/**
 * Returns whether another server might succeed: this one is no longer the primary, is still loading, or has
 * lost its primary or its cluster.
 */
export function shouldTryAnotherServer(failure: unknown): boolean {
  return (
    failure instanceof ErrorReply && /^(?:READONLY|LOADING|MASTERDOWN|CLUSTERDOWN)/.test(failure.message)
  );
}

export function isOutOfMemory(failure: unknown): boolean {
  return failure instanceof ErrorReply && failure.message.startsWith("OOM");
}
