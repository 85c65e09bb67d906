import type { Storage } from "@snap/engine/ports";
import {
  createMemoryRenderLeases,
  createMemoryStorage,
  testRenderLeases,
  testStorage,
} from "../src/index.ts";
import type { OpenStorage, SuiteRunner } from "../src/index.ts";

/** Runs all suites on storages with an injected fault, and returns the names of the failed tests. */
export async function failuresOf(inject: (storage: Storage) => Partial<Storage>): Promise<string[]> {
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  const runner: SuiteRunner = {
    describe: (_, define) => define(),
    it: (name, run) => tests.push({ name, run }),
  };
  const open: OpenStorage = async (settings) => {
    const memory = createMemoryStorage(settings);
    const correct = { ...memory, renderLeases: createMemoryRenderLeases() };
    return { storage: { ...correct, ...inject(correct) }, close: () => correct.close() };
  };
  testStorage(runner, open);
  testRenderLeases(runner, open);
  const outcomes = await Promise.allSettled(tests.map(({ run }) => run()));
  return tests.filter((_, index) => outcomes[index]?.status === "rejected").map(({ name }) => name);
}
