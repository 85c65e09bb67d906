import type { BatchParts } from "./batch-parts.ts";
import { DeliveryClaimer } from "./delivery-claimer.ts";
import { ItemClaimer } from "./item-claimer.ts";

/** How often the queues are looked at when nothing else calls for it. */
const POLL_MS = 500;
/** A lease survives two heartbeats that were lost. */
const HEARTBEATS_PER_LEASE = 4;
/** Until the next look at a storage that failed. */
const PAUSE_AFTER_ERROR_MS = 2_000;

/** Works through batches and their webhooks until it is stopped. */
export interface BatchWorker {
  /** There may be something to do: a batch was submitted, a slot came free. */
  wake(): void;
  /** Takes nothing new; resolves once what it holds is finished. */
  stop(): Promise<void>;
}

/** Starts a worker; several, in several processes, may share a storage. */
export function startBatchWorker(parts: BatchParts): BatchWorker {
  const { batches, clock, itemLeaseMs, onBackgroundError } = parts;
  const heartbeatMs = itemLeaseMs / HEARTBEATS_PER_LEASE;
  let stopped = false;
  let looking: Promise<void> | null = null;
  let lookAgain = false;
  let callOffPoll = (): void => {};
  let callOffHeartbeat = (): void => {};

  const wake = (): void => {
    lookAgain = true;
    if (!stopped) looking ??= look();
  };
  const items = new ItemClaimer(parts, wake);
  const deliveries = new DeliveryClaimer(parts, wake);

  const look = async (): Promise<void> => {
    let pauseMs = POLL_MS;
    try {
      while (lookAgain && !stopped) {
        lookAgain = false;
        await deliveries.take(() => stopped);
        await items.take(() => stopped);
      }
    } catch (error) {
      onBackgroundError(error);
      pauseMs = PAUSE_AFTER_ERROR_MS;
    }
    looking = null;
    callOffPoll();
    if (!stopped) callOffPoll = clock.after(pauseMs, wake);
  };
  const beat = (): void => {
    items.renew();
    callOffHeartbeat = clock.after(heartbeatMs, beat);
  };

  callOffHeartbeat = clock.after(heartbeatMs, beat);
  const watch = batches.watch(wake).catch((error: unknown) => {
    // It looks by itself often enough.
    onBackgroundError(error);
    return null;
  });
  wake();
  return {
    wake,
    async stop() {
      stopped = true;
      callOffPoll();
      // Not waited for: what it still hears wakes nobody.
      void watch.then((one) => one?.stop()).catch(onBackgroundError);
      await looking;
      await Promise.all([items.idle(), deliveries.stop()]);
      callOffHeartbeat();
    },
  };
}
