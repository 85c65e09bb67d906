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
  /** Includes exited children that the process has waited for. */
  readonly cpuSeconds: number;
}

/** USER_HZ is 100 on every architecture that Node supports. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** The program's name is in parentheses and can contain any character, so the fields start after the last parenthesis. */
export function parseStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // utime, stime, cutime and cstime are fields 14 to 17, counted from 1; the first field here is number 3.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return {
    pid: Number.parseInt(text, 10),
    parentPid: Number(fields[1]),
    cpuSeconds: ticks / TICKS_PER_SECOND,
  };
}

/** The process and its current descendants. */
export function readTree(rootPid: number): ProcessStat[] {
  const all = pids().flatMap((pid) => {
    const text = readOrNull(`/proc/${pid}/stat`);
    return text === null ? [] : [parseStat(text)];
  });
  const children = Map.groupBy(all, ({ parentPid }) => parentPid);
  const tree = all.filter(({ pid }) => pid === rootPid);
  // The loop also visits the entries that it appends.
  for (const { pid } of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/**
 * Proportional set size of the tree, which counts shared pages once. For a process whose
 * proportional set size only root may read, counts the resident set size.
 */
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

/** Counts the engine's browsers by their profile folder, so orphans also count. */
export function countBrowserProcesses(): number {
  return pids().filter((pid) => readOrNull(`/proc/${pid}/cmdline`)?.includes("/snap-browser-")).length;
}

/** Sends SIGKILL to a process and its descendants, except to this process and to `exceptPid`. */
export function killTree(rootPid: number, exceptPid?: number): void {
  for (const { pid } of readTree(rootPid)) {
    if (pid === process.pid || pid === exceptPid) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Already exited.
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
  /** Its announcement, such as the port that it listens on. */
  readonly line: string;
  /** Sends SIGTERM; resolves when the process has exited. */
  readonly stop: () => Promise<void>;
  /** Sends SIGKILL to the process and its descendants. */
  readonly kill: () => Promise<void>;
}

/** Starts a Node program, and waits for its announcement. Stops the program when this process exits. */
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
  const terminate = (): void => void child.kill();
  process.once("exit", terminate);
  const ended = once(child, "exit").finally(() => process.removeListener("exit", terminate));
  const lines = createInterface(child.stdout);
  const line = await new Promise<string>((resolve, reject) => {
    void ended.then(([code]) => reject(new Error(`${script} exited with code ${code}`)));
    lines.on("line", (text) => isAnnouncement(text) && resolve(text));
  });
  // Discard the rest of its log: parsing lines would take CPU time from the measured programs.
  lines.close();
  child.stdout.resume();
  const stopWith = (signal: () => void) => async (): Promise<void> => {
    signal();
    await ended;
  };
  return { pid, line, stop: stopWith(terminate), kill: stopWith(() => killTree(pid)) };
}

/**
 * For the wait until a process tree is idle. After the last response, it still cleans up and
 * prepares pages, which is part of the work and would slow down the next round.
 */
const IDLE_POLL_MS = 150;
const IDLE_TIMEOUT_MS = 3000;
const IDLE_CPU_SECONDS = 0.02;

export interface Reading {
  /** Wall time until the last response. */
  readonly wallMs: number;
  /** CPU time of the process tree until it is idle; `NaN` if it fell, because a browser exited. */
  readonly cpuSeconds: number;
  /** The part of `cpuSeconds` until the last response. */
  readonly busyCpuSeconds: number;
}

/** Measures the time that the process tree under `rootPid` spends on a piece of work. */
export async function meter(rootPid: number, work: () => Promise<unknown>): Promise<Reading> {
  const before = cpuSeconds(rootPid);
  const spentCpuSeconds = (): number => {
    const seconds = cpuSeconds(rootPid) - before;
    return seconds < 0 ? Number.NaN : seconds;
  };
  const startedMs = performance.now();
  await work();
  const wallMs = performance.now() - startedMs;
  const busyCpuSeconds = spentCpuSeconds();
  await waitUntilIdle(rootPid);
  return { wallMs, cpuSeconds: spentCpuSeconds(), busyCpuSeconds };
}

/** Resolves when the tree uses almost no CPU time, after 3 s at the latest. */
async function waitUntilIdle(rootPid: number): Promise<void> {
  let previous = cpuSeconds(rootPid);
  for (let waitedMs = 0; waitedMs < IDLE_TIMEOUT_MS; waitedMs += IDLE_POLL_MS) {
    await sleep(IDLE_POLL_MS);
    const now = cpuSeconds(rootPid);
    if (now - previous < IDLE_CPU_SECONDS) return;
    previous = now;
  }
}

/** Time to prepare new tabs and to evict short-lived cache entries. */
const SETTLE_MS = 3000;
const MEMORY_SAMPLES = 5;

/** The median of a few samples, because processes take a moment to exit. */
export async function measureIdleMemory(rootPid: number): Promise<number> {
  await sleep(SETTLE_MS);
  await waitUntilIdle(rootPid);
  const samples: number[] = [];
  for (let sample = 0; sample < MEMORY_SAMPLES; sample += 1) {
    samples.push(memoryBytes(rootPid));
    await sleep(100);
  }
  return median(samples);
}
