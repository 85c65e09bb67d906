import { SnapError } from "./errors.ts";

/** Whether the engine is still open. */
export interface Lifetime {
  /** @throws SnapError `not_ready` once the engine is closed. */
  requireOpen(): void;
  /** Wraps a function so that it rejects with `not_ready` once the engine is closed. */
  whileOpen<A extends readonly unknown[], R>(work: (...args: A) => Promise<R>): (...args: A) => Promise<R>;
  end(): void;
}

export function createLifetime(): Lifetime {
  let isClosed = false;
  const requireOpen = (): void => {
    if (isClosed)
      throw new SnapError("not_ready", "The engine is closed; stop accepting requests before you close it.");
  };
  return {
    requireOpen,
    whileOpen:
      (work) =>
      async (...args) => {
        requireOpen();
        return work(...args);
      },
    end() {
      isClosed = true;
    },
  };
}

/**
 * Returns a function whose first call runs all steps in order, even if one fails, and then rejects
 * with the first error, if there was one. Further calls return the same promise.
 */
export function inOrderOnce(steps: readonly (() => unknown)[]): () => Promise<void> {
  const run = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  };
  let running: Promise<void> | undefined;
  return () => (running ??= run());
}
