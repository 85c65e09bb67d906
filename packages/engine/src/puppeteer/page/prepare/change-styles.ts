import { awaitContent } from "./await-content.ts";
import type { Step } from "./step.ts";
import { addStyles, hideElements, removeElements } from "./style-page.ts";

/** Applies `css`, `hideSelectors` and `removeSelectors`. Waits for what the style sheet loads or a removed element uncovers. */
export const changeStyles: Step = async (page, signal) => {
  const { css, removeSelectors } = page.parameters;
  const change = async (): Promise<void> => {
    for (const step of [addStyles, hideElements, removeElements]) await step(page, signal);
  };
  if (css === undefined && removeSelectors === undefined) await change();
  else await awaitContent(page.tab, change, signal);
  return [];
};

/** Runs `changeStyles` again after a click or a script, which may have led to another page or removed the style sheets. */
export const reapplyStyles: Step = async (page, signal) => {
  const { click, script } = page.parameters;
  return click === undefined && script === undefined ? [] : changeStyles(page, signal);
};
