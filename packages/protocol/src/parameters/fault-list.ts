import type { ParameterFaults } from "../error-codes.ts";

/** An answer names this many parameters at the most, however many are at fault. */
const MAX_FAULTY_NAMES = 50;

/** Names are the caller's text, of any length. */
const MAX_NAME_CHARACTERS = 128;

/** Why parameters are refused, as the error envelope says it. */
export interface Refusal {
  readonly code: "invalid_url" | "validation_failed";
  /** The first fault in words. */
  readonly message: string;
  readonly errors: ParameterFaults;
}

/** Collects faults by parameter name; any name whatever, `__proto__` included. */
export class FaultList {
  readonly #byName = new Map<string, string[]>();

  add(fullName: string, message: string): void {
    const name = fullName.slice(0, MAX_NAME_CHARACTERS);
    const messages = this.#byName.get(name);
    if (messages === undefined) {
      if (this.#byName.size < MAX_FAULTY_NAMES) this.#byName.set(name, [message]);
    } else if (!messages.includes(message)) messages.push(message);
  }

  /** One fault for each name; words are found only for those that an answer has room for. */
  addEach(names: Iterable<string>, explain: (name: string) => string): void {
    for (const name of names) {
      if (this.#byName.size >= MAX_FAULTY_NAMES) return;
      this.add(name, explain(name));
    }
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /**
   * Every fault so far, in one refusal: `invalid_url` when `url` is all that is at fault
   * (docs/decisions/parameters.md); `null` when there is none.
   */
  toRefusal(): Refusal | null {
    const [first, ...rest] = this.#byName;
    if (first === undefined) return null;
    const [name, messages] = first;
    const more = rest.length === 0 ? "" : ` (and ${rest.length} more at fault)`;
    return {
      code: name === "url" && rest.length === 0 ? "invalid_url" : "validation_failed",
      message: `${name.slice(0, 64)} ${messages[0] ?? ""}${more}`,
      errors: Object.fromEntries(this.#byName),
    };
  }
}
