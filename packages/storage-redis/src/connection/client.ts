import { createClient, ErrorReply } from "@redis/client";
import { consumeScript } from "../rate-limiter.ts";
import { releaseLeaseScript, acquireLeaseScript } from "../render-leases.ts";

/** Longest wait for a connection. */
export const CONNECT_TIMEOUT_MS = 3000;
/** A connection on which nothing has moved for so long is taken to be dead; a ping keeps an idle one moving. */
const SILENCE_MS = 15_000;
const PING_INTERVAL_MS = 5000;
const LONGEST_RECONNECT_PAUSE_MS = 1000;
/** Commands that wait for their answers at most. */
const MAX_PENDING_COMMANDS = 50_000;

/** Sent by their digest, and whole where Redis doesn't know that yet. */
const SCRIPTS = {
  spend: consumeScript,
  takeFlight: acquireLeaseScript,
  endFlight: releaseLeaseScript,
};

export type ScriptedClient = ReturnType<typeof configure>;

/**
 * A client that has yet to connect. It queues nothing while it is not connected, and tries again for as
 * long as `givesUp` doesn't say otherwise of a failure.
 *
 * @throws Error for a malformed URL. As a password may be in there, the URL is not shown.
 */
export function createScriptedClient(url: string, givesUp: (failure: unknown) => boolean): ScriptedClient {
  try {
    // Node's check comes first: the client would take an empty text for the local Redis.
    return configure(new URL(url).href, givesUp);
  } catch {
    throw new Error(
      "The URL of Redis must look like redis://user:password@host:6379/0, or rediss://… for TLS.",
    );
  }
}

// Its type is the client's, with the scripts as methods.
const configure = (url: string, givesUp: (failure: unknown) => boolean) =>
  createClient({
    url,
    scripts: SCRIPTS,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_PENDING_COMMANDS,
    pingInterval: PING_INTERVAL_MS,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries, failure) =>
        !givesUp(failure) && Math.min(50 * 2 ** Math.min(retries, 10), LONGEST_RECONNECT_PAUSE_MS),
    },
  });

/** A refusal that won't go away by waiting: the password, the rights, or the number of the database are wrong. */
export function isMistake(failure: unknown): boolean {
  return (
    failure instanceof ErrorReply &&
    /^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?!max number of clients))/.test(failure.message)
  );
}
