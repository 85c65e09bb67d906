import { isPermanent, createScriptedClient, CONNECT_TIMEOUT_MS, type ScriptedClient } from "./client.ts";
import { withTimeout } from "./availability.ts";

/** One connection. If it is lost, it is restored in the background. */
export interface Link {
  readonly client: ScriptedClient;
  /** The first failure to connect or to run `tryCommands`; `null` if there was none. */
  readonly failure: unknown;
  /**
   * Sets the listener for a lost connection and for each failed attempt to restore it; replaces an earlier one.
   */
  onLost(listener: (reason: unknown) => void): void;
  /** Drops the connection and its pending commands, and connects again: the name may point to another server by now. */
  reconnect(): void;
  close(): void;
}

/**
 * Connects, and runs `tryCommands`; waits for at most `CONNECT_TIMEOUT_MS`.
 *
 * @throws Error for a malformed URL.
 */
export async function openLink(
  url: string,
  tryCommands: (client: ScriptedClient) => Promise<void>,
): Promise<Link> {
  let isOpening = true;
  let isClosed = false;
  const client = createScriptedClient(url, (failure) => isOpening && isPermanent(failure));
  let listener: (reason: unknown) => void = () => {};
  client.on("error", (error: unknown) => listener(error));
  const failed = new Promise<unknown>((resolve) => {
    listener = resolve;
  });
  const connected = client
    .connect()
    .then(tryCommands)
    .then(
      () => null,
      (error: unknown) => error,
    );
  const failure = await withTimeout(Promise.race([failed, connected]), CONNECT_TIMEOUT_MS).catch(
    (error: unknown) => error,
  );
  isOpening = false;
  listener = () => {};
  const close = (): void => {
    isClosed = true;
    if (!client.isOpen) return;
    // a connection attempt cannot be canceled; if it succeeds, its pings keep the process alive for up to 20 s
    client.unref();
    client.destroy();
  };
  return {
    client,
    failure,
    onLost(listen) {
      listener = listen;
    },
    reconnect() {
      // a client that is not ready is already connecting
      if (isClosed || !client.isReady) return;
      client.destroy();
      client.connect().catch(() => {});
    },
    close,
  };
}
