import type { Storage } from "@snap/engine/ports";
import assert from "node:assert/strict";

/** The functions of a test runner: vitest, node:test, mocha, jest and bun:test all have them. */
export interface SuiteRunner {
  describe(name: string, define: () => void): unknown;
  it(name: string, run: () => Promise<void>): unknown;
}

export interface StorageSettings {
  /** Quota of the rendering cache. */
  readonly cacheMaxBytes?: number;
}

/**
 * Opens an empty storage for one test; `close` frees its resources. For a storage with only some of the ports, call only
 * those ports' suites.
 */
export type OpenStorage<Port extends keyof Storage = keyof Storage> = (settings: StorageSettings) => Promise<{
  readonly storage: Pick<Storage, Port>;
  close(): Promise<void>;
}>;

/** Defines one test with its own storage. */
export type DefineTest<Port extends keyof Storage> = (
  name: string,
  run: (storage: Pick<Storage, Port>) => Promise<void>,
) => void;

/** Defines the tests for one port. Each gets an empty storage, which is closed afterwards. */
export function defineSuite<Port extends keyof Storage>(
  {
    runner,
    open,
    name,
    settings = {},
  }: { runner: SuiteRunner; open: OpenStorage<Port>; name: string; settings?: StorageSettings },
  define: (test: DefineTest<Port>) => void,
): void {
  runner.describe(name, () => {
    define((title, run) => {
      runner.it(title, async () => {
        const opened = await open(settings);
        try {
          await run(opened.storage);
        } catch (error) {
          throw nameRule(error, { name, title });
        } finally {
          await opened.close();
        }
      });
    });
  });
}

/** Adds the broken rule to the message of a failed assertion, which might show only two values. */
function nameRule(
  error: unknown,
  { name, title }: { readonly name: string; readonly title: string },
): unknown {
  const [port] = name.split(":");
  if (error instanceof assert.AssertionError)
    error.message = `The storage breaks a rule of ${port}: "${title}". See the comments in @snap/engine/ports.\n${error.message}`;
  return error;
}

/** Number of calls that `concurrently` makes. */
export const CONCURRENT_CALLS = 100;

/** Starts `CONCURRENT_CALLS` calls at the same time, and returns their results. */
export function concurrently<T>(call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: CONCURRENT_CALLS }, (_, index) => call(index)));
}

/** Strings that break a store that builds objects, patterns or composite keys from them. */
export const UNUSUAL_STRINGS: readonly string[] = [
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

/** Overwrites every field of a record, and of the records in it. Frozen records stay unchanged. */
export function overwrite(record: unknown): void {
  if (typeof record !== "object" || record === null) return;
  for (const [name, value] of Object.entries(record))
    if (typeof value === "object" && value !== null) overwrite(value);
    else Reflect.set(record, name, "overwritten");
}

/** Compares the bytes of a `Uint8Array` or one of its subclasses, such as `Buffer`. */
export function assertSameBytes(actual: Uint8Array, expected: Uint8Array): void {
  assert.ok(actual instanceof Uint8Array, "bytes must be a Uint8Array");
  assert.equal(actual.byteLength, expected.byteLength);
  assert.ok(Buffer.from(actual).equals(expected), "the bytes differ");
}

/** Returns how many results equal `expected`. */
export function countOf<T>(results: readonly T[], expected: T): number {
  return results.filter((result) => result === expected).length;
}
