import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";

/** What is free on the machine that renders. */
export interface Machine {
  /** How many processors were idle, on average, since this was last asked. */
  idleProcessors(): number;
  /** Memory that a new process could have, in bytes. */
  availableMemoryBytes(): number;
}

/** The control group of a container, of a service, or of the whole machine (cgroups(7), version 2). */
const CONTROL_GROUP_TIMES = "/sys/fs/cgroup/cpu.stat";

/** Processor time until now, in milliseconds, over all processors. */
export interface ProcessorTimes {
  readonly atMs: number;
  readonly processors: number;
  readonly idleMs: number;
  readonly totalMs: number;
  /** What the control group has used; `null` where there is none. */
  readonly groupMs: number | null;
}

/** The machine that this process runs on. */
export function createSystemMachine(): Machine {
  let before = readProcessorTimes();
  return {
    idleProcessors() {
      const now = readProcessorTimes();
      const idle = idleBetween(before, now, availableParallelism());
      before = now;
      return idle;
    },
    availableMemoryBytes: () => process.availableMemory(),
  };
}

/**
 * Idle processors between two readings. A container that may use `allowed` of many processors has no more
 * left than it has not used of these, however idle the machine is.
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
