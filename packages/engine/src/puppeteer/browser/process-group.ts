import { readdirSync, readFileSync } from "node:fs";

/** `renderer` runs pages; all pages of the browser share the others. */
export type ProcessRole = "renderer" | "browser" | "gpu" | "other";

/** A browser process, as read from /proc. */
export interface GroupMember {
  readonly pid: number;
  readonly role: ProcessRole;
  /** Anonymous and shared memory, without mapped files. */
  readonly memoryBytes: number;
  /** CPU time since the process started. */
  readonly cpuMs: number;
  /** Time that its main thread has waited for a CPU; 0 if the kernel does not count it. */
  readonly waitMs: number;
}

const SECCOMP_MODE_FILTER = 2;
/** Exited, but not yet reaped by its parent. */
const ZOMBIE = "Z";
const OUT_OF_DESCRIPTORS: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);
/** The unit of proc_pid_stat(5); Linux reports hundredths of a second to programs. */
const TICK_MS = 10;

/** One browser's processes. Repeated reads are cheap, because the machine's other processes are read only once. */
export class ProcessGroup {
  readonly #id: number;
  #otherPids: ReadonlySet<number> = new Set();
  #roles: ReadonlyMap<number, ProcessRole> = new Map();
  #members: readonly GroupMember[] = [];

  /** @param id - The process group id, which is the id of its first process. */
  constructor(id: number) {
    this.#id = id;
  }

  /**
   * Returns the running processes; empty on systems without /proc. Returns the previous result if this process has no
   * file descriptors left, because otherwise all processes would appear to have exited.
   */
  read(): readonly GroupMember[] {
    try {
      this.#members = this.#readMembers();
    } catch (error) {
      if (!isOutOfDescriptors(error)) throw error;
    }
    return this.#members;
  }

  #readMembers(): readonly GroupMember[] {
    const otherPids = new Set<number>();
    const roles = new Map<number, ProcessRole>();
    const members: GroupMember[] = [];
    for (const pid of listProcesses()) {
      try {
        if (this.#otherPids.has(pid)) {
          otherPids.add(pid);
          continue;
        }
        const { state, group, cpuMs } = readStat(`${pid}`);
        if (group !== this.#id) otherPids.add(pid);
        else if (state !== ZOMBIE) {
          const role = this.#roles.get(pid) ?? readRole(pid);
          // a renderer starts as a fork of a zygote
          if (role !== "other") roles.set(pid, role);
          members.push({
            pid,
            role,
            cpuMs,
            waitMs: readSchedule(`${pid}`)?.waitedMs ?? 0,
            memoryBytes: readMemory(pid),
          });
        }
      } catch (error) {
        if (isOutOfDescriptors(error)) throw error;
        // it has just exited
      }
    }
    this.#otherPids = otherPids;
    this.#roles = roles;
    return members;
  }

  /**
   * Sends a signal unless the process has exited, in which case its id may belong to a process in another group. If this
   * process has no file descriptors left to find out, trusts the previous `read()`.
   */
  signal(pid: number, signal: NodeJS.Signals): void {
    try {
      if (this.#includes(pid)) process.kill(pid, signal);
    } catch {
      // it has just exited
    }
  }

  #includes(pid: number): boolean {
    try {
      return readStat(`${pid}`).group === this.#id;
    } catch (error) {
      return isOutOfDescriptors(error) && this.#members.some((member) => member.pid === pid);
    }
  }
}

function listProcesses(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error;
    return [];
  }
}

/** Returns whether an operation failed because this process, or the system, has no file descriptors left. */
export function isOutOfDescriptors(error: unknown): boolean {
  return OUT_OF_DESCRIPTORS.has((error as NodeJS.ErrnoException).code);
}

interface Stat {
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly cpuMs: number;
}

/**
 * Reads the state of a process or thread; see proc_pid_stat(5). The name, in parentheses, can itself contain
 * parentheses.
 */
function readStat(path: string): Stat {
  const stat = readFileSync(`/proc/${path}/stat`, "latin1");
  const nameEnd = stat.lastIndexOf(")");
  const fields = stat.slice(nameEnd + 2).split(" ");
  const [state = "", parent, group] = fields;
  const [userTicks, systemTicks] = fields.slice(11);
  return {
    name: stat.slice(stat.indexOf("(") + 1, nameEnd),
    state,
    parent: Number(parent),
    group: Number(group),
    cpuMs: (Number(userTicks) + Number(systemTicks)) * TICK_MS,
  };
}

function readRole(pid: number): ProcessRole {
  const command = readFileSync(`/proc/${pid}/cmdline`, "latin1");
  const [, type] = /--type=([a-z-]+)/.exec(command) ?? [];
  if (type === undefined) return "browser";
  if (type === "gpu-process") return "gpu";
  return type === "renderer" ? "renderer" : "other";
}

interface Schedule {
  readonly ranMs: number;
  readonly waitedMs: number;
}

/**
 * Reads how long a thread, or the main thread of a process, has run and waited for a CPU; `null` on a kernel without
 * these figures. See schedstat in the kernel's documentation (scheduler/sched-stats): times are in nanoseconds.
 */
function readSchedule(path: string): Schedule | null {
  try {
    const [ranNs, waitedNs] = readFileSync(`/proc/${path}/schedstat`, "latin1").split(" ");
    return { ranMs: Number(ranNs) / 1e6, waitedMs: Number(waitedNs) / 1e6 };
  } catch {
    return null;
  }
}

function readMemory(pid: number): number {
  const status = readStatus(pid);
  return (status("RssAnon") + status("RssShmem")) * 1024;
}

/** Reads a process's status; see proc_pid_status(5). Returns a function to its numbers, which are 0 if not reported. */
function readStatus(pid: number): (field: string) => number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return (field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
}

/**
 * Returns whether a process has added a seccomp filter to those that it inherited from its parent; `null` if it has
 * exited. Before Linux 5.9, which does not count filters, any filter will do.
 */
export function addsSeccompFilter(pid: number): boolean | null {
  try {
    const count = countSeccompFilters(pid);
    return count === Infinity || count > countSeccompFilters(readStat(`${pid}`).parent);
  } catch {
    return null;
  }
}

/** Returns `Infinity` if the kernel only reports that there are filters. */
function countSeccompFilters(pid: number): number {
  const status = readStatus(pid);
  if (status("Seccomp") !== SECCOMP_MODE_FILTER) return 0;
  return status("Seccomp_filters") || Infinity;
}

/**
 * Returns the CPU time of a process's threads with this name, which the kernel truncates to 15 characters; `null` if it
 * cannot be read.
 */
export function readThreadCpuMs(pid: number, name: string): number | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((id) => `${pid}/task/${id}`);
    return threads.reduce((totalMs, thread) => {
      const stat = readStat(thread);
      if (stat.name !== name) return totalMs;
      // stat counts in ticks of 10 ms, too coarse for a thread that runs for a few milliseconds
      return totalMs + (readSchedule(thread)?.ranMs ?? stat.cpuMs);
    }, 0);
  } catch {
    return null; // it has just exited
  }
}
