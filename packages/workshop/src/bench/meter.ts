import { setTimeout as sleep } from "node:timers/promises";
import { cpuSeconds, memoryBytes, readTree } from "./process-tree.ts";

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
  readonly peakBytes: number;
}

/** What the process tree below `rootPid` spends on a piece of work. */
export async function metered(rootPid: number, work: () => Promise<unknown>): Promise<Reading> {
  const before = readTree(rootPid);
  let peakBytes = memoryBytes(before);
  const sample = setInterval(() => {
    peakBytes = Math.max(peakBytes, memoryBytes(readTree(rootPid)));
  }, SAMPLE_INTERVAL_MS);
  const startedMs = performance.now();
  try {
    await work();
  } finally {
    clearInterval(sample);
  }
  const wallMs = performance.now() - startedMs;
  await comeToRest(rootPid);
  const after = readTree(rootPid);
  return {
    wallMs,
    cpuSeconds: cpuSeconds(after) - cpuSeconds(before),
    peakBytes: Math.max(peakBytes, memoryBytes(after)),
  };
}

async function comeToRest(rootPid: number): Promise<void> {
  let spent = cpuSeconds(readTree(rootPid));
  for (let waitedMs = 0; waitedMs < REST_MAX_MS; waitedMs += REST_LOOK_MS) {
    await sleep(REST_LOOK_MS);
    const now = cpuSeconds(readTree(rootPid));
    if (now - spent < REST_CPU_SECONDS) return;
    spent = now;
  }
}
