import type { Machine } from "@snap/engine/ports";

/** What is free on a fake machine; tests change it as they like. */
export interface FakeMachine extends Machine {
  idle: number;
  memoryBytes: number;
}

/**
 * A machine with as many idle processors and as much memory as a test says: none, and 16 GB, at first.
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
