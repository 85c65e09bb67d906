import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";

/** Free resources of the machine that renders. */
export interface Machine {
  /** Returns the average number of idle processors since the last call. */
  idleProcessors(): number;
  /** Returns the memory available to a new process, in bytes. */
  availableMemoryBytes(): number;
}

/** The control group of a container, of a service, or of the whole machine (cgroups(7), version 2). */
const CONTROL_GROUP_TIMES = "/sys/fs/cgroup/cpu.stat";

/** Processor times since boot, in milliseconds, summed over all processors. */
export interface ProcessorTimes {
  readonly atMs: number;
  readonly processors: number;
  readonly idleMs: number;
  readonly totalMs: number;
  /** Time used by the control group; `null` without one. */
  readonly groupMs: number | null;
}

/** Returns the machine of this process. */
export function createSystemMachine(): Machine {
  let previous = readProcessorTimes();
  return {
    idleProcessors() {
      const now = readProcessorTimes();
      const idle = idleBetween(previous, now, availableParallelism());
      previous = now;
      return idle;
    },
    availableMemoryBytes: () => process.availableMemory(),
  };
}

/**
 * Returns the average number of idle processors between two readings. A container that may use `allowed` processors can
 * have at most the unused part of them, even if more processors of the machine are idle.
 */
export function idleBetween(before: ProcessorTimes, now: ProcessorTimes, allowed: number): number {
  const elapsedMs = now.totalMs - before.totalMs;
  if (elapsedMs <= 0) return 0;
  const idle = (now.processors * (now.idleMs - before.idleMs)) / elapsedMs;
  if (now.groupMs === null || before.groupMs === null) return Math.min(idle, allowed);
  const used = (now.groupMs - before.groupMs) / Math.max(1, now.atMs - before.atMs);
  return Math.max(0, Math.min(idle, allowed - used));
}

function readProcessorTimes(): ProcessorTimes {
  let [idleMs, totalMs] = [0, 0];
  const processors = cpus();
  for (const { times } of processors) {
    idleMs += times.idle;
    totalMs += times.idle + times.user + times.nice + times.sys + times.irq;
  }
  const groupMs = readGroupTime();
  return { atMs: performance.now(), processors: processors.length, idleMs, totalMs, groupMs };
}

function readGroupTime(): number | null {
  try {
    const [, microseconds] = /^usage_usec (\d+)$/m.exec(readFileSync(CONTROL_GROUP_TIMES, "utf8")) ?? [];
    return microseconds === undefined ? null : Number(microseconds) / 1000;
  } catch {
    return null;
  }
}
