import { setTimeout as sleep } from "node:timers/promises";
import { cpuSeconds, memoryBytes, readTree } from "./process-tree.ts";
import { median } from "./statistics.ts";

/** Often enough to see a page come and go, seldom enough to cost little. */
const SAMPLE_INTERVAL_MS = 500;

/** What is closed and got ready behind the last answer belongs to the work, and would slow down the next. */
const REST_LOOK_MS = 150;
const REST_MAX_MS = 3000;
const REST_CPU_SECONDS = 0.02;

export interface Reading {
  /** To the last answer. */
  readonly wallMs: number;
  /** Of the whole process tree, until it has come to rest. */
  readonly cpuSeconds: number;
  /** Of that, until the last answer. */
  readonly busyCpuSeconds: number;
  /** Median of the samples taken during the work. */
  readonly medianBytes: number;
  readonly peakBytes: number;
}

/** What the process tree below `rootPid` spends on a piece of work. */
export async function metered(rootPid: number, work: () => Promise<unknown>): Promise<Reading> {
  const before = readTree(rootPid);
  const samples: number[] = [];
  const sample = setInterval(() => {
    samples.push(memoryBytes(readTree(rootPid)));
  }, SAMPLE_INTERVAL_MS);
  const startedMs = performance.now();
  try {
    await work();
  } finally {
    clearInterval(sample);
  }
  const wallMs = performance.now() - startedMs;
  const spentBefore = cpuSeconds(before);
  const answered = readTree(rootPid);
  // Short work ends before the first sample.
  if (samples.length === 0) samples.push(memoryBytes(answered));
  await comeToRest(rootPid);
  return {
    wallMs,
    cpuSeconds: spentSince(spentBefore, readTree(rootPid)),
    busyCpuSeconds: spentSince(spentBefore, answered),
    medianBytes: median(samples),
    peakBytes: Math.max(...samples),
  };
}

/** `NaN` when a browser restarted meanwhile and what it had spent is no longer in the tree. */
function spentSince(before: number, tree: ReturnType<typeof readTree>): number {
  const spent = cpuSeconds(tree) - before;
  return spent < 0 ? Number.NaN : spent;
}

/** Resolves when the tree spends next to nothing any more, after 3 s at the latest. */
export async function comeToRest(rootPid: number): Promise<void> {
  let spent = cpuSeconds(readTree(rootPid));
  for (let waitedMs = 0; waitedMs < REST_MAX_MS; waitedMs += REST_LOOK_MS) {
    await sleep(REST_LOOK_MS);
    const now = cpuSeconds(readTree(rootPid));
    if (now - spent < REST_CPU_SECONDS) return;
    spent = now;
  }
}
