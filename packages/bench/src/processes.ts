import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "./measure.ts";

/** A line of /proc/PID/stat (proc_pid_stat(5)). */
interface ProcessStat {
  readonly pid: number;
  readonly parentPid: number;
  /** Its own, and that of ended children that it has waited for. */
  readonly cpuSeconds: number;
}

/** USER_HZ, 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** The name of the program stands in parentheses and may hold anything: the fields begin behind the last one. */
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

/** The process and its descendants, as they are at this moment. */
export function readTree(rootPid: number): ProcessStat[] {
  const all = pids().flatMap((pid) => {
    const text = readOrNull(`/proc/${pid}/stat`);
    return text === null ? [] : [parseStat(text)];
  });
  const children = Map.groupBy(all, ({ parentPid }) => parentPid);
  const tree = all.filter(({ pid }) => pid === rootPid);
  // Grows while it is walked.
  for (const { pid } of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** Memory of the tree, each page counted once (proportional set size); resident sets where only root may see that. */
export function memoryBytes(rootPid: number): number {
  return readTree(rootPid).reduce((sum, { pid }) => {
    const [, kibibytes] = /^Pss:\s+(\d+) kB$/m.exec(readOrNull(`/proc/${pid}/smaps_rollup`) ?? "") ?? [];
    if (kibibytes !== undefined) return sum + Number(kibibytes) * 1024;
    return sum + Number(readOrNull(`/proc/${pid}/statm`)?.split(" ")[1] ?? 0) * PAGE_BYTES;
  }, 0);
}

export function cpuSeconds(rootPid: number): number {
  return readTree(rootPid).reduce((sum, process) => sum + process.cpuSeconds, 0);
}

/** Those of our driver, known by the profile that each browser has for itself, whoever their parent is now. */
export function countBrowserProcesses(): number {
  return pids().filter((pid) => readOrNull(`/proc/${pid}/cmdline`)?.includes("/snap-browser-")).length;
}

/** SIGKILL to the descendants of a process, and to the process itself unless it is this one. */
export function killTree(rootPid: number, except?: number): void {
  for (const { pid } of readTree(rootPid)) {
    if (pid === process.pid || pid === except) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone.
    }
  }
}

function pids(): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

/** A process may be gone by now. */
function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

export interface StartedProgram {
  readonly pid: number;
  /** The line that was waited for. */
  readonly line: string;
  /** SIGTERM; resolves when it has ended. */
  readonly stop: () => Promise<void>;
  /** At once, with all that it has started. */
  readonly kill: () => Promise<void>;
}

/** Starts a Node program, which ends with this one at the latest, and waits for the line that says where it listens. */
export async function startProgram(
  script: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  isAnnouncement: (line: string) => boolean = () => true,
): Promise<StartedProgram> {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { pid = 0 } = child;
  const stopNow = (): void => void child.kill();
  process.once("exit", stopNow);
  const ended = once(child, "exit").finally(() => process.removeListener("exit", stopNow));
  const lines = createInterface(child.stdout);
  const line = await new Promise<string>((resolve, reject) => {
    void ended.then(([code]) => reject(new Error(`${script} ended with ${code}`)));
    lines.on("line", (text) => isAnnouncement(text) && resolve(text));
  });
  // Its log goes on; reading it would take processor time from what is measured.
  lines.close();
  child.stdout.resume();
  const endBy = (signal: () => void) => async (): Promise<void> => {
    signal();
    await ended;
  };
  return { pid, line, stop: endBy(stopNow), kill: endBy(() => killTree(pid)) };
}

/** What is closed and got ready behind the last response belongs to the work, and would slow down the next. */
const REST_LOOK_MS = 150;
const REST_MAX_MS = 3000;
const REST_CPU_SECONDS = 0.02;

export interface Reading {
  /** To the last response. */
  readonly wallMs: number;
  /** Of the whole process tree until it has come to rest; `NaN` when a browser restarted meanwhile. */
  readonly cpuSeconds: number;
  /** Of that, until the last response. */
  readonly busyCpuSeconds: number;
}

/** What the process tree below `rootPid` spends on a piece of work. */
export async function metered(rootPid: number, work: () => Promise<unknown>): Promise<Reading> {
  const before = cpuSeconds(rootPid);
  const spent = (): number => {
    const seconds = cpuSeconds(rootPid) - before;
    return seconds < 0 ? Number.NaN : seconds;
  };
  const startedMs = performance.now();
  await work();
  const wallMs = performance.now() - startedMs;
  const busyCpuSeconds = spent();
  await comeToRest(rootPid);
  return { wallMs, cpuSeconds: spent(), busyCpuSeconds };
}

/** Resolves when the tree spends next to nothing any more, after 3 s at the latest. */
async function comeToRest(rootPid: number): Promise<void> {
  let spent = cpuSeconds(rootPid);
  for (let waitedMs = 0; waitedMs < REST_MAX_MS; waitedMs += REST_LOOK_MS) {
    await sleep(REST_LOOK_MS);
    const now = cpuSeconds(rootPid);
    if (now - spent < REST_CPU_SECONDS) return;
    spent = now;
  }
}

/** Time to make tabs ready again, and for caches to let go of what they hold only briefly. */
const SETTLE_MS = 3000;
const MEMORY_LOOKS = 5;

/** The median of a few looks: what has just ended takes a moment to go. */
export async function memoryAtRest(rootPid: number): Promise<number> {
  await sleep(SETTLE_MS);
  await comeToRest(rootPid);
  const looks: number[] = [];
  for (let look = 0; look < MEMORY_LOOKS; look += 1) {
    looks.push(memoryBytes(rootPid));
    await sleep(100);
  }
  return median(looks);
}
