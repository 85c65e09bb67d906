import { availableParallelism } from "node:os";

/** Memory that a page in flight may take, processes and pictures included; measured in docs/benchmarks.md. */
const MEMORY_PER_RENDER_BYTES = 128 * 1024 * 1024;
const RENDERS_PER_PROCESSOR_MAX = 16;

/**
 * Renders that may always run at once: enough to keep the processors busy with pages that never wait, and
 * one more for each of the two who keep a slot to others, an account and its batches.
 */
export function steadySlots(processors = availableParallelism()): number {
  return 2 * processors + 2;
}

/** Renders that may run at once where most of them wait for their network. */
export function maxRenders(availableMemoryBytes: number, processors = availableParallelism()): number {
  const byMemory = Math.floor(availableMemoryBytes / MEMORY_PER_RENDER_BYTES);
  return Math.max(steadySlots(processors), Math.min(byMemory, RENDERS_PER_PROCESSOR_MAX * processors));
}
