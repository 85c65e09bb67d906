import { createAvailability, withinTime, type Attempt } from "./availability.ts";
import {
  CONNECT_TIMEOUT_MS,
  createScriptedClient,
  isPermanent,
  readTime,
  type ScriptedClient,
} from "./client.ts";

const PROBE_TTL_MS = 1000;

export interface RedisConnection {
  readonly client: ScriptedClient;
  readonly attempt: Attempt;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly keyPrefix: string;
  readonly commandTimeoutMs: number;
  /** Deletions to send before Redis is used again. */
  readonly pending: { isEmpty(): boolean; flush(client: ScriptedClient): Promise<void> };
  readonly onError: (error: Error) => void;
  readonly onBack: () => void;
}

/**
 * Connects to Redis. If it is unavailable, reconnects in the background.
 *
 * @throws Error for a malformed URL, a wrong password, missing permissions, or a database number that does not exist.
 */
export async function connectRedis(options: ConnectionOptions): Promise<RedisConnection> {
  const { url, keyPrefix, commandTimeoutMs, pending, onError, onBack } = options;
  let isOpening = true;
  const client = createScriptedClient(url, (failure) => isOpening && isPermanent(failure));
  const { host, password } = new URL(url);
  const explain = (reason: unknown): string =>
    withoutPassword(reasonOf(reason), decodeURIComponent(password));
  /** A write, because a Redis that is full, a replica, or has a failed disk still serves reads. */
  const probe = async (): Promise<void> => {
    await client.set(`${keyPrefix}probe`, "", { expiration: { type: "PX", value: PROBE_TTL_MS } });
  };
  /** Sends every command that is ever used, to detect missing permissions on opening. */
  const tryCommands = async (): Promise<void> => {
    await probe();
    const key = `${keyPrefix}probe`;
    const window = { limit: 1, windowMs: PROBE_TTL_MS, now: 0 };
    const claim = { holder: "probe", leaseMs: PROBE_TTL_MS, priority: "batch" } as const;
    await client.consume(`${key}:budget`, window);
    await client.acquireLease(`${key}:lease`, claim);
    await client.releaseLease(`${key}:lease`, { holder: "probe", lingerMs: 0 });
    await readTime(client);
    await client.get(key);
    await client.getRange(key, 0, 0);
    await client.unlink([key, `${key}:budget`, `${key}:lease`]);
  };

  let onClientError: (error: unknown) => void = () => {};
  client.on("error", (error: unknown) => onClientError(error));
  const failed = new Promise<unknown>((resolve) => {
    onClientError = resolve;
  });
  const connected = client
    .connect()
    .then(tryCommands)
    .then(
      () => null,
      (error: unknown) => error,
    );
  const failure = await withinTime(Promise.race([failed, connected]), CONNECT_TIMEOUT_MS).catch(
    (error: unknown) => error,
  );
  isOpening = false;
  if (isPermanent(failure)) {
    if (client.isOpen) client.destroy();
    throw new Error(`Redis at ${host} denied access: ${explain(failure)}`);
  }

  const availability = createAvailability({
    commandTimeoutMs,
    probe,
    pending: { isEmpty: () => pending.isEmpty(), flush: () => pending.flush(client) },
    onLost: (reason) =>
      onError(
        new Error(
          `Redis at ${host} is unavailable: ${explain(reason).replace(/[.]+$/, "")}. Until it is back, each process counts rate limits itself and nothing is cached.`,
        ),
      ),
    onBack,
  });
  onClientError = (reason) => availability.lose(reason);
  if (failure !== null) availability.lose(failure);
  return {
    client,
    attempt: availability.attempt,
    async close() {
      availability.close();
      if (!client.isOpen) return;
      // responses arrive in order, so the ping waits for all earlier commands
      if (client.isReady) await withinTime(client.ping(), commandTimeoutMs).catch(() => {});
      // a connection attempt cannot be cancelled, but must not keep the process alive
      client.unref();
      client.destroy();
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
function withoutPassword(text: string, password: string): string {
  return password === "" ? text : text.replaceAll(password, "…");
}
