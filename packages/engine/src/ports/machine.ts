import { cpus } from "node:os";

/** What is free on the machine that renders. */
export interface Machine {
  /** How many processors were idle, on average, since this was last asked. */
  idleProcessors(): number;
  /** Memory that a new process could have, in bytes. */
  availableMemoryBytes(): number;
}

interface ProcessorTimes {
  readonly idleMs: number;
  readonly totalMs: number;
  readonly count: number;
}

/** The machine that this process runs on. */
export function createSystemMachine(): Machine {
  let before = readProcessorTimes();
  return {
    idleProcessors() {
      const now = readProcessorTimes();
      const [idleMs, totalMs] = [now.idleMs - before.idleMs, now.totalMs - before.totalMs];
      before = now;
      return totalMs > 0 ? (now.count * idleMs) / totalMs : 0;
    },
    availableMemoryBytes: () => process.availableMemory(),
  };
}

function readProcessorTimes(): ProcessorTimes {
  let [idleMs, totalMs] = [0, 0];
  const processors = cpus();
  for (const { times } of processors) {
    idleMs += times.idle;
    totalMs += times.idle + times.user + times.nice + times.sys + times.irq;
  }
  return { idleMs, totalMs, count: processors.length };
}
