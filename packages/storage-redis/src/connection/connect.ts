import { ErrorReply } from "@redis/client";
import { createAvailability, withTimeout, type Attempt, type Availability } from "./availability.ts";
import { isPermanent, shouldTryAnotherServer, type ScriptedClient } from "./client.ts";
import { openLink, type Link } from "./link.ts";
import { isUnreachable, RedisUnreachableError, remedyOf } from "./remedies.ts";
import { tryCommands, VersionError } from "./try-commands.ts";

/** A slower transfer counts as stuck. */
const MIN_TRANSFER_BYTES_PER_MS = 4096;

/** A connection for short commands, and a separate one for renderings' bytes, which would delay them. */
export interface RedisConnection {
  readonly client: ScriptedClient;
  readonly attempt: Attempt;
  readonly transferConnection: TransferConnection;
  close(): Promise<void>;
}

export interface TransferConnection {
  readonly client: ScriptedClient;
  /** Like `attempt` of the other connection, but a stuck or interrupted transfer affects only this one. */
  readonly attempt: Attempt;
  /** Runs a command that transfers about this many bytes; the timeout allows for all transfers in flight. */
  readonly withTimeout: <T>(request: { readonly bytes: number }, command: () => Promise<T>) => Promise<T>;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly keyPrefix: string;
  readonly commandTimeoutMs: number;
  /** Whether to reject if Redis cannot be reached. */
  readonly isRequired: boolean;
  /** Deletions to send before Redis is used again. */
  readonly pending: { isEmpty(): boolean; flush(client: ScriptedClient): Promise<void> };
  readonly onError: (error: Error) => void;
  readonly onRecovered: () => void;
}

/**
 * Connects to Redis. If it is unavailable, or is not the primary, reconnects in the background.
 *
 * @throws RedisUnreachableError if Redis is required and cannot be reached.
 * @throws Error for a malformed URL, a wrong password, missing permissions, a database number that does not exist, or a
 * version that is too old.
 */
export async function connectRedis(options: ConnectionOptions): Promise<RedisConnection> {
  const { url, keyPrefix, commandTimeoutMs, isRequired, pending, onError, onRecovered } = options;
  const links = await Promise.all([
    openLink(url, (client) => tryCommands(client, keyPrefix)),
    openLink(url, async () => {}),
  ]);
  const [main, transfers] = links;
  const address = new URL(url);
  const { host, password } = address;
  const explain = (reason: unknown): string =>
    redactPassword(reasonOf(reason), decodeURIComponent(password)).replace(/[.]+$/, "");
  rejectUnusable(links, { address, isRequired, explain });
  let isOpening = true;
  const availability = createAvailability({
    commandTimeoutMs,
    probe: () => main.client.probe(`${keyPrefix}probe`),
    pending: { isEmpty: () => pending.isEmpty(), flush: () => pending.flush(main.client) },
    onLost: (reason) =>
      onError(
        new Error(
          `Redis at ${host} is unavailable: ${explain(reason)}${isOpening ? `; ${remedyOf(reason, address)}` : ""}. Until it is back, each process enforces rate limits on its own, and nothing is cached.`,
        ),
      ),
    onFailure(reason) {
      if (shouldTryAnotherServer(reason)) for (const link of links) link.reconnect();
    },
    onRecovered,
  });
  main.onLost((reason) => availability.markAsLost(reason));
  if (main.failure !== null) availability.markAsLost(main.failure);
  isOpening = false;
  return {
    client: main.client,
    attempt: availability.attempt,
    transferConnection: createTransferConnection(transfers, {
      availability,
      commandTimeoutMs,
      probeMain: () => main.client.probe(`${keyPrefix}probe`),
      onStuck: (reason) =>
        onError(
          new Error(
            `Transfers of renderings to and from Redis at ${host} are failing: ${explain(reason)}. Until they succeed, renderings are not cached.`,
          ),
        ),
    }),
    async close() {
      availability.close();
      // responses arrive in order, so a ping waits for all earlier commands
      const pings = links.map(async ({ client }) => client.isReady && client.ping());
      await Promise.all(pings.map((ping) => withTimeout(ping, commandTimeoutMs).catch(() => {})));
      for (const link of links) link.close();
    },
  };
}

/**
 * Closes the connections, and throws, if one of them failed permanently, if Redis is too old, or if Redis is required
 * and unreachable.
 */
function rejectUnusable(
  links: readonly Link[],
  {
    address,
    isRequired,
    explain,
  }: {
    readonly address: URL;
    readonly isRequired: boolean;
    readonly explain: (reason: unknown) => string;
  },
): void {
  for (const { failure } of links) {
    const isRejected = isPermanent(failure);
    const isTooOld = failure instanceof VersionError;
    if (!isRejected && !isTooOld && !(isRequired && isUnreachable(failure))) continue;
    for (const link of links) link.close();
    if (isTooOld) throw new Error(`Redis at ${address.host} ${failure.message}`);
    const reason = `${explain(failure)}; ${remedyOf(failure, address)}`;
    if (isRejected) throw new Error(`Redis at ${address.host} rejected the connection: ${reason}`);
    throw new RedisUnreachableError(`Redis at ${address.host} is unavailable: ${reason}`);
  }
}

function createTransferConnection(
  link: Link,
  {
    availability,
    commandTimeoutMs,
    probeMain,
    onStuck,
  }: {
    readonly availability: Availability;
    readonly commandTimeoutMs: number;
    readonly probeMain: () => Promise<void>;
    readonly onStuck: (reason: unknown) => void;
  },
): TransferConnection {
  let outstandingBytes = 0;
  let losses = 0;
  let isStuck = false;
  /** Reports a failure of this connection, unless the other one also fails: then Redis is reported as unavailable. */
  const report = async (reason: unknown): Promise<void> => {
    await availability.attempt(probeMain, () => {});
    if (isStuck || !availability.isUsable()) return;
    isStuck = true;
    onStuck(reason);
  };
  link.onLost((reason) => {
    losses += 1;
    // the first loss may be a connection that was idle for too long
    if (losses > 1) void report(reason);
  });
  const handleFailure = async (reason: unknown): Promise<void> => {
    if (reason instanceof ErrorReply) return availability.markAsLost(reason);
    // outstanding transfers would delay later ones
    link.reconnect();
    await report(reason);
  };
  return {
    client: link.client,
    async attempt(command, fallback) {
      if (!availability.isUsable() || !link.client.isReady) return fallback();
      try {
        const result = await command();
        [losses, isStuck] = [0, false];
        return result;
      } catch (error) {
        await handleFailure(error);
        return fallback();
      }
    },
    async withTimeout({ bytes }, command) {
      outstandingBytes += bytes;
      try {
        return await withTimeout(
          command(),
          commandTimeoutMs + Math.ceil(outstandingBytes / MIN_TRANSFER_BYTES_PER_MS),
        );
      } finally {
        outstandingBytes -= bytes;
      }
    },
  };
}

/** Some Node errors have a code but no message. */
function reasonOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  const { code } = reason as NodeJS.ErrnoException;
  return reason.message === "" ? (code ?? reason.name) : reason.message;
}

/** Redis quotes unknown commands, and with them their arguments. */
function redactPassword(text: string, password: string): string {
  return password === "" ? text : text.replaceAll(password, "…");
}
