import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";

/** Free resources of the rendering machine. */
export interface Machine {
  /** Returns the average number of idle cores since the last call. */
  idleCores(): number;
  /** Returns the memory available to a new process, in bytes. */
  availableMemoryBytes(): number;
}

/** The control group of a container, of a service, or of the whole machine (cgroups(7), version 2). */
const CONTROL_GROUP_TIMES = "/sys/fs/cgroup/cpu.stat";

/** CPU times since boot, in milliseconds, summed over all cores. */
export interface CpuTimes {
  readonly atMs: number;
  readonly cores: number;
  readonly idleMs: number;
  readonly totalMs: number;
  /** CPU time that the control group has used; `null` if there is none. */
  readonly groupMs: number | null;
}

/** Returns the machine that this process runs on. */
export function createSystemMachine(): Machine {
  let previous = readCpuTimes();
  return {
    idleCores() {
      const now = readCpuTimes();
      const idle = idleBetween(previous, now, availableParallelism());
      previous = now;
      return idle;
    },
    availableMemoryBytes: () => process.availableMemory(),
  };
}

/**
 * Returns the average number of idle cores between two readings. In a container limited to `allowed` cores, at most its
 * unused ones count, even if more of the machine's cores are idle.
 */
export function idleBetween(before: CpuTimes, now: CpuTimes, allowed: number): number {
  const elapsedMs = now.totalMs - before.totalMs;
  if (elapsedMs <= 0) return 0;
  const idle = (now.cores * (now.idleMs - before.idleMs)) / elapsedMs;
  if (now.groupMs === null || before.groupMs === null) return Math.min(idle, allowed);
  const used = (now.groupMs - before.groupMs) / Math.max(1, now.atMs - before.atMs);
  return Math.max(0, Math.min(idle, allowed - used));
}

function readCpuTimes(): CpuTimes {
  let [idleMs, totalMs] = [0, 0];
  const cores = cpus();
  for (const { times } of cores) {
    idleMs += times.idle;
    totalMs += times.idle + times.user + times.nice + times.sys + times.irq;
  }
  const groupMs = readGroupTime();
  return { atMs: performance.now(), cores: cores.length, idleMs, totalMs, groupMs };
}

function readGroupTime(): number | null {
  try {
    const [, microseconds] = /^usage_usec (\d+)$/m.exec(readFileSync(CONTROL_GROUP_TIMES, "utf8")) ?? [];
    return microseconds === undefined ? null : Number(microseconds) / 1000;
  } catch {
    return null;
  }
}
