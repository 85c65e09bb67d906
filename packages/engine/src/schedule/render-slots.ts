import { availableParallelism } from "node:os";
import type { Machine } from "../ports/machine.ts";

const MIB = 1024 * 1024;
/** About twice what the heaviest measured page took: 68 MB, with its processes and images (docs/benchmarks.md). */
const MEMORY_PER_RENDER_BYTES = 128 * MIB;
/** While less memory is available, no render starts beyond the slots. */
const MEMORY_RESERVE_BYTES = 512 * MIB;
/** A page mostly waits for its network, so it takes several to keep a core busy. */
const RENDERS_PER_IDLE_CORE = 4;
const RENDERS_PER_CORE_MAX = 16;

/**
 * Number of renders that may always run at once: two per core, which keep the cores busy, plus the slot that
 * every account leaves free and the one that its batches leave free.
 */
export function steadySlots(cores = availableParallelism()): number {
  return 2 * cores + 2;
}

/** Number of renders that may run at once while most of them wait for their network. */
export function maxRenders(availableMemoryBytes: number, cores = availableParallelism()): number {
  const byMemory = Math.floor(availableMemoryBytes / MEMORY_PER_RENDER_BYTES);
  return Math.max(steadySlots(cores), Math.min(byMemory, RENDERS_PER_CORE_MAX * cores));
}

/** Number of renders that may start now beyond the slots. */
export function rendersBeyondSlots(machine: Machine): number {
  const byCores = Math.round(machine.idleCores() * RENDERS_PER_IDLE_CORE);
  const freeBytes = machine.availableMemoryBytes() - MEMORY_RESERVE_BYTES;
  return Math.max(0, Math.min(byCores, Math.floor(freeBytes / MEMORY_PER_RENDER_BYTES)));
}
