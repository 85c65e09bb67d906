import type { ParameterFaults } from "@snap/protocol";

/** An answer names this many parameters at the most, however many are at fault. */
const MAX_FAULTY_NAMES = 50;

/** Collects faults by parameter name; any name whatever, `__proto__` included. */
export class FaultList {
  readonly #byName = new Map<string, string[]>();

  add(name: string, message: string): void {
    const messages = this.#byName.get(name);
    if (messages === undefined) {
      if (this.#byName.size < MAX_FAULTY_NAMES) this.#byName.set(name, [message]);
    } else if (!messages.includes(message)) messages.push(message);
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  toRecord(): ParameterFaults {
    return Object.fromEntries(this.#byName);
  }
}
