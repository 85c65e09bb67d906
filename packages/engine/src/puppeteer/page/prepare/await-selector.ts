import { awaitMatch } from "./await-match.ts";
import { limitsEveryWait } from "../../../parameters/waits.ts";
import { runRequestedWait } from "./requested-wait.ts";
import type { Step } from "./step.ts";

/** `waitForSelector`: waits until an element matches in the main frame. */
export const awaitSelector: Step = async ({ tab, parameters }, signal) => {
  if (parameters.pdf || parameters.waitForSelector === undefined) return [];
  const condition = { selector: parameters.waitForSelector, isMet: "(matches) => matches.length > 0" };
  const wait = (stepSignal: AbortSignal): Promise<void> => awaitMatch(tab, condition, stepSignal);
  if (limitsEveryWait(parameters))
    return runRequestedWait({ parameters, name: "waitForSelector", signal }, wait);
  await wait(signal);
  return [];
};
