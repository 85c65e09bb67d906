import { isExcessiveSkew } from "../clocks/clock-skew.ts";
import type { BatchDependencies } from "./batch-dependencies.ts";
import { DeliveryClaimer } from "./delivery-claimer.ts";
import { ItemClaimer } from "./item-claimer.ts";

/** Polling interval; a notification wakes the worker sooner. */
const POLL_MS = 500;
/** A lease survives two lost heartbeats. */
const HEARTBEATS_PER_LEASE = 4;
/** Polling interval after a failed claim. */
const POLL_AFTER_ERROR_MS = 2_000;

/** Renders batches and delivers their webhooks until it is stopped. */
export interface BatchWorker {
  /** Whether `stop()` was called. */
  readonly isStopped: boolean;
  /** Claims due work now: call it when a batch has been submitted or a slot has become free. */
  wake(): void;
  /**
   * Claims nothing new. Resolves when the claimed items are finished or postponed, and webhook attempts are finished
   * or, after 3 s, aborted.
   */
  stop(): Promise<void>;
}

/** Starts a worker. Several workers, in several processes, can share one storage backend. */
export function startBatchWorker(dependencies: BatchDependencies): BatchWorker {
  const { batches, clock, clocks, itemLeaseMs, onBackgroundError } = dependencies;
  const heartbeatMs = itemLeaseMs / HEARTBEATS_PER_LEASE;
  let isStopped = false;
  let claiming: Promise<void> | null = null;
  let claimAgain = false;
  let cancelPoll = (): void => {};
  let cancelHeartbeat = (): void => {};

  const wake = (): void => {
    claimAgain = true;
    if (!isStopped) claiming ??= claimDue();
  };
  const items = new ItemClaimer(dependencies, wake);
  const deliveries = new DeliveryClaimer(dependencies, wake);

  const claimDue = async (): Promise<void> => {
    let pauseMs = POLL_MS;
    try {
      await clocks.measured;
      // with a wrong clock, other workers' leases would expire early
      while (claimAgain && !isStopped && !clocks.skews().some(isExcessiveSkew)) {
        claimAgain = false;
        await deliveries.claimDue(() => isStopped);
        await items.claimDue(() => isStopped);
      }
    } catch (error) {
      onBackgroundError(error);
      pauseMs = POLL_AFTER_ERROR_MS;
    }
    claiming = null;
    cancelPoll();
    if (!isStopped) cancelPoll = clock.after(pauseMs, wake);
  };
  const beat = (): void => {
    items.renew();
    cancelHeartbeat = clock.after(heartbeatMs, beat);
  };

  cancelHeartbeat = clock.after(heartbeatMs, beat);
  const watch = batches.watch(wake).catch((error: unknown) => {
    // polling continues without notifications
    onBackgroundError(error);
    return null;
  });
  wake();
  return {
    get isStopped() {
      return isStopped;
    },
    wake,
    async stop() {
      isStopped = true;
      cancelPoll();
      // no need to wait: a stopped worker ignores notifications
      void watch.then((subscription) => subscription?.stop()).catch(onBackgroundError);
      await claiming;
      await Promise.all([items.waitUntilIdle(), deliveries.stop()]);
      cancelHeartbeat();
    },
  };
}
