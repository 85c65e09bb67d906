import { createAvailability, withinTime, type Attempt } from "./availability.ts";
import { CONNECT_TIMEOUT_MS, createScriptedClient, isMistake, type ScriptedClient } from "./client.ts";

const PROBE_LIFE_MS = 1000;

export interface RedisConnection {
  readonly client: ScriptedClient;
  readonly attempt: Attempt;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly keyPrefix: string;
  readonly commandTimeoutMs: number;
  /** Done before Redis is used again after it could not be. */
  readonly owed: { isEmpty(): boolean; carryOut(client: ScriptedClient): Promise<void> };
  readonly onError: (error: Error) => void;
  readonly onBack: () => void;
}

/**
 * Connects. A Redis that can't be reached is waited for in the background.
 *
 * @throws Error for a malformed URL, a wrong password, missing rights or a database that isn't there.
 */
export async function connectRedis(options: ConnectionOptions): Promise<RedisConnection> {
  const { url, keyPrefix, commandTimeoutMs, owed, onError, onBack } = options;
  let isOpening = true;
  const client = createScriptedClient(url, (failure) => isOpening && isMistake(failure));
  const { host, password } = new URL(url);
  const explain = (reason: unknown): string =>
    withoutPassword(reasonOf(reason), decodeURIComponent(password));
  /** A write: a Redis that is full, a replica, or has lost its disk answers reads all the same. */
  const probe = async (): Promise<void> => {
    await client.set(`${keyPrefix}probe`, "", { expiration: { type: "PX", value: PROBE_LIFE_MS } });
  };
  /** Everything that is ever sent, so that rights that are missing are missed at once. */
  const rehearse = async (): Promise<void> => {
    await probe();
    const key = `${keyPrefix}probe`;
    const window = { limit: 1, windowMs: PROBE_LIFE_MS, now: 0 };
    const claim = { holder: "probe", leaseMs: PROBE_LIFE_MS, priority: "batch" } as const;
    await client.spend(`${key}:budget`, window);
    await client.takeFlight(`${key}:lease`, claim);
    await client.endFlight(`${key}:lease`, { holder: "probe", lingerMs: 0 });
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
    .then(rehearse)
    .then(
      () => null,
      (error: unknown) => error,
    );
  const failure = await withinTime(Promise.race([failed, connected]), CONNECT_TIMEOUT_MS).catch(
    (error: unknown) => error,
  );
  isOpening = false;
  if (isMistake(failure)) {
    if (client.isOpen) client.destroy();
    throw new Error(`Redis at ${host} refuses: ${explain(failure)}`);
  }

  const availability = createAvailability({
    commandTimeoutMs,
    probe,
    owed: { isEmpty: () => owed.isEmpty(), carryOut: () => owed.carryOut(client) },
    onLost: (reason) =>
      onError(
        new Error(
          `Redis at ${host} can't be used: ${explain(reason).replace(/[.]+$/, "")}. Until it is back, limits are counted in this process alone and nothing is cached.`,
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
      // What was sent before is answered before.
      if (client.isReady) await withinTime(client.ping(), commandTimeoutMs).catch(() => {});
      // A connection that is being made can't be called off, but need not keep the process.
      client.unref();
      client.destroy();
    },
  };
}

/** Some of Node's errors tell nothing but their code. */
function reasonOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  const { code } = reason as NodeJS.ErrnoException;
  return reason.message === "" ? (code ?? reason.name) : reason.message;
}

/** Redis repeats commands that it doesn't know. */
function withoutPassword(text: string, password: string): string {
  return password === "" ? text : text.replaceAll(password, "…");
}
