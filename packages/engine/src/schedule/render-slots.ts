import { availableParallelism } from "node:os";
import type { Machine } from "../ports/machine.ts";

const MIB = 1024 * 1024;
/** Memory that a page in flight may take, processes and pictures included; 6 to 68 MB where it was measured (docs/benchmarks.md). */
const MEMORY_PER_RENDER_BYTES = 128 * MIB;
/** Memory that is left alone: below it no page is admitted beyond the slots. */
const MEMORY_RESERVE_BYTES = 512 * MIB;
/** As a page waits for its network most of the time, it takes several to keep a processor busy. */
const RENDERS_PER_IDLE_PROCESSOR = 4;
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

/** Renders that may start now beyond the slots. */
export function rendersBeyondSlots(machine: Machine): number {
  const byProcessors = Math.round(machine.idleProcessors() * RENDERS_PER_IDLE_PROCESSOR);
  const freeBytes = machine.availableMemoryBytes() - MEMORY_RESERVE_BYTES;
  return Math.max(0, Math.min(byProcessors, Math.floor(freeBytes / MEMORY_PER_RENDER_BYTES)));
}
