import type { ParameterProblems } from "../error-codes.ts";

/** A response names at most this many invalid parameters. */
const MAX_FAULTY_NAMES = 50;

/** Names come from the caller and can have any length. */
export const MAX_NAME_CHARACTERS = 128;

/** The error envelope for invalid parameters, without a request id. */
export interface ValidationFailure {
  readonly code: "invalid_url" | "validation_failed";
  /** The first problem and the number of other invalid parameters. */
  readonly message: string;
  readonly errors: ParameterProblems;
}

/** Collects problems by parameter name. Any name is allowed, `__proto__` included. */
export class ProblemList {
  readonly #byName = new Map<string, string[]>();

  add(fullName: string, message: string): void {
    const name = fullName.slice(0, MAX_NAME_CHARACTERS).toWellFormed();
    const messages = this.#byName.get(name);
    if (messages === undefined) {
      if (!this.isFull) this.#byName.set(name, [message]);
    } else if (!messages.includes(message)) messages.push(message);
  }

  /** Adds the problems of a failure, if there are any, with a prefix before each name. */
  addAll(problems: ParameterProblems | undefined, prefix = ""): void {
    for (const [name, messages] of Object.entries(problems ?? {}))
      for (const message of messages) this.add(prefix + name, message);
  }

  /** Adds one problem per name; calls `explain` only for names that fit in a response. */
  addEach(names: Iterable<string>, explain: (name: string) => string): void {
    for (const name of names) {
      if (this.isFull) return;
      this.add(name, explain(name));
    }
  }

  /** Whether another name would not fit in a response, so looking for more problems is pointless. */
  get isFull(): boolean {
    return this.#byName.size >= MAX_FAULTY_NAMES;
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** Returns every problem so far, or `null` if there is none. The code is `invalid_url` if only `url` is invalid. */
  toFailure(): ValidationFailure | null {
    const [first, ...rest] = this.#byName;
    if (first === undefined) return null;
    const [name, messages] = first;
    const more = rest.length === 0 ? "" : ` (${rest.length} more invalid)`;
    return {
      code: name === "url" && rest.length === 0 ? "invalid_url" : "validation_failed",
      message: `${name} ${messages[0] ?? ""}${more}`,
      errors: Object.fromEntries(this.#byName),
    };
  }
}
