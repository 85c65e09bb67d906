import { awaitContent } from "./await-content.ts";
import type { Step } from "./step.ts";
import { addStyles, hideElements, removeElements } from "./style-page.ts";

/** `css`, `hideSelectors` and `removeSelectors`: also waits for what a style sheet loads, or a removed element uncovers. */
export const changeStyles: Step = async (page, signal) => {
  const { css, removeSelectors } = page.parameters;
  const change = async (): Promise<void> => {
    for (const step of [addStyles, hideElements, removeElements]) await step(page, signal);
  };
  if (css === undefined && removeSelectors === undefined) await change();
  else await awaitContent(page.tab, change, signal);
  return [];
};

/** Like `changeStyles`, for the page to which a click or a script may have led, and the sheets that they may have removed. */
export const changeNextPage: Step = async (page, signal) => {
  const { click, script } = page.parameters;
  return click === undefined && script === undefined ? [] : changeStyles(page, signal);
};
