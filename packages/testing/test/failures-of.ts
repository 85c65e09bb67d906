import type { Storage } from "@snap/engine/ports";
import {
  createMemoryRenderLeases,
  createMemoryStorage,
  testRenderLeases,
  testStorage,
} from "../src/index.ts";
import type { SuiteRunner } from "../src/index.ts";

/** Runs all suites on storages that are broken in one way; answers the names of the tests that fail. */
export async function failuresOf(damage: (storage: Storage) => Partial<Storage>): Promise<string[]> {
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  const runner: SuiteRunner = {
    describe: (_, define) => define(),
    it: (name, run) => tests.push({ name, run }),
  };
  const open = async (): Promise<{ storage: Storage; close(): Promise<void> }> => {
    const memory = createMemoryStorage();
    const whole = { ...memory, renderLeases: createMemoryRenderLeases() };
    return { storage: { ...whole, ...damage(whole) }, close: () => whole.close() };
  };
  testStorage(runner, open);
  testRenderLeases(runner, open);
  const outcomes = await Promise.allSettled(tests.map(({ run }) => run()));
  return tests.filter((_, index) => outcomes[index]?.status === "rejected").map(({ name }) => name);
}
