import type { Machine } from "@snap/engine/ports";

/** A machine whose idle cores and free memory a test sets. */
export interface FakeMachine extends Machine {
  idle: number;
  memoryBytes: number;
}

/**
 * Creates a machine with settable idle cores (initially 0) and memory (initially 16 GB).
 *
 * @example
 * const machine = createFakeMachine();
 * machine.idle = 2;
 * machine.idleCores();
 */
export function createFakeMachine(): FakeMachine {
  const machine: FakeMachine = {
    idle: 0,
    memoryBytes: 16e9,
    idleCores: () => machine.idle,
    availableMemoryBytes: () => machine.memoryBytes,
  };
  return machine;
}
