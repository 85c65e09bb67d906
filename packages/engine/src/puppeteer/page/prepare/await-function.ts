import { runRequestedWait } from "./requested-wait.ts";
import { poll } from "./poll.ts";
import { runInPage, scriptFailed } from "./run-in-page.ts";
import type { Step } from "./step.ts";

/** An expression that does not yield is stopped after this time and evaluated again. */
const EVALUATION_MAX_MS = 1_000;

/** `waitForFunction`: waits until an expression is truthy. It may throw while the page is not ready. */
export const awaitFunction: Step = async ({ tab, parameters }, signal) => {
  const { waitForFunction } = parameters;
  if (waitForFunction === undefined) return [];
  const expression = `(async () => Boolean(await (${waitForFunction}\n)))()`;
  return runRequestedWait({ parameters, name: "waitForFunction", signal }, (stepSignal) =>
    poll(
      tab,
      async () => {
        const outcome = await runInPage(
          { tab, parameters },
          { expression, timeoutMs: EVALUATION_MAX_MS },
          stepSignal,
        );
        if (outcome.type === "invalid")
          throw scriptFailed(`waitForFunction is not a valid expression: ${outcome.message}`);
        return outcome.type === "returned" && outcome.value === true;
      },
      stepSignal,
    ),
  );
};
