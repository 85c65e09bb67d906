import { evaluate } from "../evaluate.ts";
import { invalidSelector } from "../measure.ts";
import { limitsEveryWait, limitWait } from "./limit-wait.ts";
import { poll } from "./poll.ts";
import type { Step } from "./step.ts";

/** `waitForSelector`: waits until an element matches in the main frame. */
export const awaitSelector: Step = async ({ tab, parameters }, signal) => {
  if (parameters.pdf || parameters.waitForSelector === undefined) return [];
  const { waitForSelector: selector } = parameters;
  const exists = `(() => {
    try {
      return document.querySelector(${JSON.stringify(selector)}) !== null;
    } catch {
      return "invalid";
    }
  })()`;
  const wait = (limited: AbortSignal): Promise<void> =>
    poll(
      tab,
      async () => {
        const result = await evaluate<boolean | "invalid">(tab, exists, limited);
        if (result === "invalid") throw invalidSelector(selector);
        return result;
      },
      limited,
    );
  if (limitsEveryWait(parameters)) return limitWait({ parameters, name: "waitForSelector", signal }, wait);
  await wait(signal);
  return [];
};
