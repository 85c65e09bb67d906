import type { Storage } from "@snap/engine/ports";
import assert from "node:assert/strict";

/** What a suite needs of a test runner: vitest, node:test, mocha, jest and bun:test all have it. */
export interface SuiteRunner {
  describe(name: string, define: () => void): unknown;
  it(name: string, run: () => Promise<void>): unknown;
}

/**
 * Opens an empty storage for one test; `close` frees all that it took. A storage that offers some
 * of the ports only is tested by the suites of those.
 */
export type OpenStorage<Port extends keyof Storage = keyof Storage> = () => Promise<{
  readonly storage: Pick<Storage, Port>;
  close(): Promise<void>;
}>;

/** Defines one test over a storage of its own. */
export type DefineTest<Port extends keyof Storage> = (
  name: string,
  run: (storage: Pick<Storage, Port>) => Promise<void>,
) => void;

/** Groups the tests of one port, each of which gets an empty storage that is closed behind it. */
export function defineSuite<Port extends keyof Storage>(
  { runner, open, name }: { runner: SuiteRunner; open: OpenStorage<Port>; name: string },
  define: (test: DefineTest<Port>) => void,
): void {
  runner.describe(name, () => {
    define((title, run) => {
      runner.it(title, async () => {
        const opened = await open();
        try {
          await run(opened.storage);
        } finally {
          await opened.close();
        }
      });
    });
  });
}

/** How many calls "at once" are. */
export const AT_ONCE = 100;

/** Starts `AT_ONCE` calls without waiting for any, and answers what they answered. */
export function allAtOnce<T>(call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, index) => call(index)));
}

/** Texts that trip stores which build objects, patterns or composite names out of them. */
export const AWKWARD_TEXTS: readonly string[] = [
  "__proto__",
  "constructor",
  "a:b",
  "a:",
  "a",
  "A",
  "100%_*?[a]",
  "'; DROP TABLE accounts; --",
  "naïve",
  "nai\u0308ve",
  "鍵🔑",
  " a",
];

/** Compares as bytes, whatever the views are. */
export function assertSameBytes(actual: Uint8Array, expected: Uint8Array): void {
  assert.ok(actual instanceof Uint8Array, "bytes come back as a Uint8Array");
  assert.equal(actual.byteLength, expected.byteLength);
  assert.ok(Buffer.from(actual).equals(expected), "the bytes differ");
}

/** How many of the answers are the given one. */
export function countOf<T>(answers: readonly T[], wanted: T): number {
  return answers.filter((answer) => answer === wanted).length;
}
