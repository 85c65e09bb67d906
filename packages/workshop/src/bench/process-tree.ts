import { readdirSync, readFileSync } from "node:fs";

/** What Linux tells of a process in /proc/PID/stat (proc_pid_stat(5)). */
export interface ProcessStat {
  readonly pid: number;
  readonly parentPid: number;
  /** Its own, and that of children that have ended and that it has waited for. */
  readonly cpuSeconds: number;
}

/** USER_HZ, which Linux has at 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** The name of the program stands in parentheses and may hold anything: what counts is behind the last. */
export function parseStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // utime, stime, cutime and cstime are the fields 14 to 17, counted from 1; the third comes first here.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return {
    pid: Number.parseInt(text, 10),
    parentPid: Number(fields[1]),
    cpuSeconds: ticks / TICKS_PER_SECOND,
  };
}

/** A process and all that descend from it. */
export function selectTree(all: readonly ProcessStat[], rootPid: number): ProcessStat[] {
  const children = Map.groupBy(all, ({ parentPid }) => parentPid);
  const tree = all.filter(({ pid }) => pid === rootPid);
  // Grows while it is walked.
  for (const { pid } of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** `Pss` of /proc/PID/smaps_rollup in bytes; `null` when it says nothing of it. */
export function parsePss(text: string): number | null {
  const [, kibibytes] = /^Pss:\s+(\d+) kB$/m.exec(text) ?? [];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

/** The process and its descendants, as they are at this moment. */
export function readTree(rootPid: number): ProcessStat[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const text = readOrNull(`/proc/${pid}/stat`);
      return text === null ? [] : [parseStat(text)];
    });
  return selectTree(all, rootPid);
}

/**
 * Memory of all of them, each page counted once (proportional set size). Where only root may see that,
 * the resident sets, which count shared pages several times.
 */
export function memoryBytes(tree: readonly ProcessStat[]): number {
  return tree.reduce((sum, { pid }) => sum + (proportionalBytes(pid) ?? residentBytes(pid)), 0);
}

export function cpuSeconds(tree: readonly ProcessStat[]): number {
  return tree.reduce((sum, process) => sum + process.cpuSeconds, 0);
}

function proportionalBytes(pid: number): number | null {
  return parsePss(readOrNull(`/proc/${pid}/smaps_rollup`) ?? "");
}

function residentBytes(pid: number): number {
  return Number(readOrNull(`/proc/${pid}/statm`)?.split(" ")[1] ?? 0) * PAGE_BYTES;
}

/** Those of our driver, known by the profile that each browser has for itself, whoever their parent is now. */
export function countBrowserProcesses(): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => readOrNull(`/proc/${pid}/cmdline`)?.includes("/snap-browser-")).length;
}

/** At once, unless it has ended by itself. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone.
  }
}

/** A process may be gone by the time that it is looked at. */
function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
