import { availableParallelism } from "node:os";
import type { Machine } from "../ports/machine.ts";

const MIB = 1024 * 1024;
/** About twice the memory of the heaviest measured page: 68 MB, with its processes and images (docs/benchmarks.md). */
const MEMORY_PER_RENDER_BYTES = 128 * MIB;
/** While less memory is available, no render starts beyond the slots. */
const MEMORY_RESERVE_BYTES = 512 * MIB;
/** A page mostly waits for the network, so it takes several pages to keep a core busy. */
const RENDERS_PER_IDLE_CORE = 4;
const RENDERS_PER_CORE_MAX = 16;

/**
 * Number of renders that can always run concurrently: two per core, which keep the cores busy, plus the slot that every
 * account leaves free and the one that its batches leave free.
 */
export function slotsForCores(cores = availableParallelism()): number {
  return 2 * cores + 2;
}

/** Number of renders that can run concurrently while most of them are waiting for the network. */
export function maxRenders(availableMemoryBytes: number, cores = availableParallelism()): number {
  const byMemory = Math.floor(availableMemoryBytes / MEMORY_PER_RENDER_BYTES);
  return Math.max(slotsForCores(cores), Math.min(byMemory, RENDERS_PER_CORE_MAX * cores));
}

/** Number of renders that can start now beyond the slots. */
export function rendersBeyondSlots(machine: Machine): number {
  const byCores = Math.round(machine.idleCores() * RENDERS_PER_IDLE_CORE);
  const freeBytes = machine.availableMemoryBytes() - MEMORY_RESERVE_BYTES;
  return Math.max(0, Math.min(byCores, Math.floor(freeBytes / MEMORY_PER_RENDER_BYTES)));
}
