import { evaluate } from "../evaluate.ts";
import { invalidSelector } from "../measure.ts";
import { limitWait } from "./limit-wait.ts";
import { poll } from "./poll.ts";
import type { Step } from "./step.ts";

/** `waitForHidden`: waits until no visible element matches in the main frame. */
export const awaitHidden: Step = async ({ tab, parameters }, signal) => {
  const { waitForHidden: selector } = parameters;
  if (selector === undefined) return [];
  const isHidden = `(() => {
    const isVisible = (element) => {
      const { width, height } = element.getBoundingClientRect();
      return width * height > 0 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    };
    try {
      return ![...document.querySelectorAll(${JSON.stringify(selector)})].some(isVisible);
    } catch {
      return "invalid";
    }
  })()`;
  return limitWait({ parameters, name: "waitForHidden", signal }, (limited) =>
    poll(
      tab,
      async () => {
        const result = await evaluate<boolean | "invalid">(tab, isHidden, limited);
        if (result === "invalid") throw invalidSelector(selector);
        return result;
      },
      limited,
    ),
  );
};
