import { awaitMatch } from "./await-match.ts";
import { runRequestedWait } from "./requested-wait.ts";
import type { Step } from "./step.ts";

const NONE_VISIBLE = `(matches) => !matches.some((element) => {
  const { width, height } = element.getBoundingClientRect();
  return width * height > 0 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
})`;

/** `waitForHidden`: waits until no visible element matches in the main frame, including its open shadow roots. */
export const awaitHidden: Step = async ({ tab, parameters }, signal) => {
  const { waitForHidden: selector } = parameters;
  if (selector === undefined) return [];
  return runRequestedWait({ parameters, name: "waitForHidden", signal }, (stepSignal) =>
    awaitMatch(tab, { selector, inShadowRoots: true, isMet: NONE_VISIBLE }, stepSignal),
  );
};
