import type { Machine } from "@snap/engine/ports";

/** A machine with settable free resources. */
export interface FakeMachine extends Machine {
  idle: number;
  memoryBytes: number;
}

/**
 * Creates a machine with settable idle processors (initially 0) and memory (initially 16 GB).
 *
 * @example
 * const machine = createFakeMachine();
 * machine.idle = 2;
 * machine.idleProcessors();
 */
export function createFakeMachine(): FakeMachine {
  const machine: FakeMachine = {
    idle: 0,
    memoryBytes: 16e9,
    idleProcessors: () => machine.idle,
    availableMemoryBytes: () => machine.memoryBytes,
  };
  return machine;
}
