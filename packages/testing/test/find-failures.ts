import type { Storage } from "@snap/engine/ports";
import {
  createMemoryRenderLeases,
  createMemoryStorage,
  testRenderLeases,
  testStorage,
} from "../src/index.ts";
import type { OpenStorage, SuiteRunner } from "../src/index.ts";

type Inject = (storage: Storage) => Partial<Storage>;

/**
 * Runs the suites on storages with an injected fault, and returns the names of the failed tests.
 *
 * @param only The name of the only test to run; by default, all run.
 */
export async function findFailures(inject: Inject, only?: string): Promise<string[]> {
  return [...(await findFailureMessages(inject, only)).keys()];
}

/** Like `findFailures`, with the message of each failure. */
export async function findFailureMessages(
  inject: Inject,
  only?: string,
): Promise<ReadonlyMap<string, string>> {
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  const runner: SuiteRunner = {
    describe: (_, define) => define(),
    it: (name, run) => (only ?? name) === name && tests.push({ name, run }),
  };
  const open: OpenStorage = async (settings) => {
    const memory = createMemoryStorage(settings);
    const correct = { ...memory, renderLeases: createMemoryRenderLeases() };
    return { storage: { ...correct, ...inject(correct) }, close: () => correct.close() };
  };
  testStorage(runner, open);
  testRenderLeases(runner, open);
  const outcomes = await Promise.allSettled(tests.map(({ run }) => run()));
  return new Map(
    outcomes.flatMap((outcome, index) =>
      outcome.status === "rejected"
        ? [[tests[index]?.name ?? "", (outcome.reason as Error).message] as const]
        : [],
    ),
  );
}
