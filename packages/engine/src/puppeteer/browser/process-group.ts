import { readdirSync, readFileSync } from "node:fs";

/** One process of the browser, as read from /proc. */
export interface GroupMember {
  readonly pid: number;
  /** Runs a page. The other processes live as long as the browser. */
  readonly isRenderer: boolean;
  /** Anonymous and shared memory, without mapped files. */
  readonly memoryBytes: number;
  /** CPU time in clock ticks. */
  readonly cpuTicks: number;
  /** Whether a seccomp filter restricts its system calls, the inner layer of the sandbox. */
  readonly isSandboxed: boolean;
}

const SECCOMP_FILTER = 2;
/** Exited, but not yet reaped by its parent. */
const ZOMBIE = "Z";

/** Returns the running processes of a group; empty on systems without /proc. */
export function readProcessGroup(groupId: number): GroupMember[] {
  return listProcesses().flatMap((pid) => {
    try {
      const { state, group, cpuTicks } = readStat(pid);
      return group === groupId && state !== ZOMBIE ? [{ ...readMember(pid), cpuTicks }] : [];
    } catch {
      return []; // it has just exited
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

/** See proc_pid_stat(5). The name, in parentheses, may itself contain parentheses. */
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
