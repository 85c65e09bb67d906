import { existsSync, readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";

/** Free resources of the rendering machine. */
export interface Machine {
  /** Returns the average number of idle cores since the last call. */
  idleCores(): number;
  /** Returns the memory available to a new process, in bytes. */
  availableMemoryBytes(): number;
}

/** A reading of CPU times, in milliseconds, summed over all cores. */
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
  const cpuStatFile = findCpuStatFile();
  let previous = readCpuTimes(cpuStatFile);
  return {
    idleCores() {
      const now = readCpuTimes(cpuStatFile);
      const idle = idleBetween(previous, now, availableParallelism());
      previous = now;
      return idle;
    },
    availableMemoryBytes: () => process.availableMemory(),
  };
}

/**
 * Returns the file with the CPU times of this process's control group: a container's, a service's, or the whole
 * machine's (cgroups(7), version 2). In most containers, the process sees its own group as the root.
 */
export function findCpuStatFile(root = "/"): string {
  const groups = join(root, "sys/fs/cgroup");
  const [, path = ""] = /^0::(.+)$/m.exec(readText(join(root, "proc/self/cgroup"))) ?? [];
  const groupFile = join(groups, path, "cpu.stat");
  return existsSync(groupFile) ? groupFile : join(groups, "cpu.stat");
}

/**
 * Returns the average number of idle cores between two readings. In a container or service limited to `coresMax` cores,
 * at most its unused ones count, even if more of the machine's cores are idle.
 */
export function idleBetween(before: CpuTimes, now: CpuTimes, coresMax: number): number {
  const elapsedMs = now.totalMs - before.totalMs;
  if (elapsedMs <= 0) return 0;
  const idle = (now.cores * (now.idleMs - before.idleMs)) / elapsedMs;
  if (now.groupMs === null || before.groupMs === null) return Math.min(idle, coresMax);
  const used = (now.groupMs - before.groupMs) / Math.max(1, now.atMs - before.atMs);
  return Math.max(0, Math.min(idle, coresMax - used));
}

function readCpuTimes(cpuStatFile: string): CpuTimes {
  let [idleMs, totalMs] = [0, 0];
  const cores = cpus();
  for (const { times } of cores) {
    idleMs += times.idle;
    totalMs += times.idle + times.user + times.nice + times.sys + times.irq;
  }
  const [, microseconds] = /^usage_usec (\d+)$/m.exec(readText(cpuStatFile)) ?? [];
  const groupMs = microseconds === undefined ? null : Number(microseconds) / 1000;
  return { atMs: performance.now(), cores: cores.length, idleMs, totalMs, groupMs };
}

/** Returns an empty string for a file that cannot be read, as on systems other than Linux. */
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
