import { readdirSync, readFileSync } from "node:fs";

/** One process of the browser, as Linux tells of it. */
export interface GroupMember {
  readonly pid: number;
  /** Runs a page; the others stay as long as the browser does. */
  readonly isRenderer: boolean;
  /** What it holds for itself: neither the program nor mapped files. */
  readonly memoryBytes: number;
  /** Processor time that it has used, in clock ticks. */
  readonly cpuTicks: number;
  /** Whether a seccomp filter bounds its system calls, which is the inner wall of the sandbox. */
  readonly isSandboxed: boolean;
}

const SECCOMP_FILTER = 2;
/** It has ended, and waits for its parent to ask how. */
const ZOMBIE = "Z";

/** Every process of the group that has not ended; empty where the system has no /proc. */
export function readProcessGroup(groupId: number): GroupMember[] {
  return listProcesses().flatMap((pid) => {
    try {
      const { state, group, cpuTicks } = readStat(pid);
      return group === groupId && state !== ZOMBIE ? [{ ...readMember(pid), cpuTicks }] : [];
    } catch {
      return []; // it ended meanwhile
    }
  });
}

function listProcesses(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** proc_pid_stat(5). The name, in parentheses, may hold anything, parentheses too. */
function readStat(pid: number): { state: string; group: number; cpuTicks: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", , group] = fields;
  const [userTicks, systemTicks] = fields.slice(11);
  return { state, group: Number(group), cpuTicks: Number(userTicks) + Number(systemTicks) };
}

function readMember(pid: number): Omit<GroupMember, "cpuTicks"> {
  const command = readFileSync(`/proc/${pid}/cmdline`, "latin1");
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
  return {
    pid,
    isRenderer: command.includes("--type=renderer"),
    memoryBytes: (field("RssAnon") + field("RssShmem")) * 1024,
    isSandboxed: field("Seccomp") === SECCOMP_FILTER,
  };
}
