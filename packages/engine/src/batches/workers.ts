import type { BatchDependencies } from "./batch-dependencies.ts";
import { startBatchWorker, type BatchWorker } from "./worker.ts";

/** The workers of one engine: one runs at a time, while earlier ones may still be stopping. */
export interface Workers {
  /** Returns the running worker, or starts one. */
  start(): BatchWorker;
  /** Wakes the running worker, if there is one. */
  wake(): void;
  /** Resolves when all workers have stopped. */
  stop(): Promise<void>;
}

/** @param dependencies is called when a worker starts. */
export function createWorkers(dependencies: () => BatchDependencies): Workers {
  let worker: BatchWorker | null = null;
  let earlierStopped: Promise<unknown> = Promise.resolve();
  return {
    start() {
      if (worker !== null && !worker.isStopped) return worker;
      earlierStopped = Promise.all([earlierStopped, worker?.stop()]);
      worker = startBatchWorker(dependencies());
      return worker;
    },
    wake: () => worker?.wake(),
    async stop() {
      await Promise.all([earlierStopped, worker?.stop()]);
    },
  };
}
