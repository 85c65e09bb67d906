import type { Storage } from "@snap/engine";
import { createMemoryStorage, testStorage } from "../src/index.ts";

/** Runs all suites on storages that are broken in one way; answers the names of the tests that fail. */
export async function failuresOf(damage: (storage: Storage) => Partial<Storage>): Promise<string[]> {
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  testStorage(
    { describe: (_, define) => define(), it: (name, run) => tests.push({ name, run }) },
    async () => {
      const whole = createMemoryStorage();
      return { storage: { ...whole, ...damage(whole) }, close: () => whole.close() };
    },
  );
  const outcomes = await Promise.allSettled(tests.map(({ run }) => run()));
  return tests.filter((_, index) => outcomes[index]?.status === "rejected").map(({ name }) => name);
}
