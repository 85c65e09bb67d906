import { cpuSeconds, memoryBytes, readTree } from "./process-tree.ts";

/** Often enough to see a page come and go, seldom enough to cost little. */
const SAMPLE_INTERVAL_MS = 500;

export interface Reading {
  readonly wallMs: number;
  /** Of the whole process tree. */
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
  const after = readTree(rootPid);
  return {
    wallMs,
    cpuSeconds: cpuSeconds(after) - cpuSeconds(before),
    peakBytes: Math.max(peakBytes, memoryBytes(after)),
  };
}
