import { evaluate } from "../evaluate.ts";
import { invalidSelector } from "../measure.ts";
import { ADOPT_SHEET, call, MATCHES_OF, ROOTS_OF, SET_STYLE } from "../in-page.ts";
import type { Tab } from "../tab.ts";
import type { Step } from "./step.ts";

const ADD_SHEET = `(css) => {
  ${ADOPT_SHEET}
  adoptSheet([document], css);
}`;

/**
 * Also applies to elements that are added later. The page's inline `!important` styles would win, so they are replaced.
 * The steps run again before the capture, for elements added with such a style.
 */
const ADD_RULE = `([selector, property, value]) => {
  ${ROOTS_OF} ${MATCHES_OF} ${SET_STYLE} ${ADOPT_SHEET}
  const roots = rootsOf(document);
  const matches = matchesOf(roots, selector);
  if (matches === null) return false;
  for (const element of matches) setStyle(element, property, value);
  adoptSheet(roots, selector + "{" + property + ":" + value + "!important}");
  return true;
}`;

/** `css`: adds a style sheet. */
export const addStyles: Step = async ({ tab, parameters: { css } }, signal) => {
  if (css !== undefined) await addSheet(tab, css, signal);
  return [];
};

export async function addSheet(tab: Tab, css: string, signal: AbortSignal): Promise<void> {
  await evaluate(tab, call(ADD_SHEET, css), signal);
}

/** `hideSelectors`: makes elements invisible, including descendants that the page makes visible explicitly. */
export const hideElements: Step = async ({ tab, parameters: { hideSelectors } }, signal) => {
  if (hideSelectors === undefined) return [];
  await addRule(tab, { selector: hideSelectors, declaration: ["visibility", "hidden"] }, signal);
  await addRule(tab, { selector: `:is(${hideSelectors}) *`, declaration: ["visibility", "hidden"] }, signal);
  return [];
};

/** `removeSelectors`: removes elements from the layout. */
export const removeElements: Step = async ({ tab, parameters: { removeSelectors } }, signal) => {
  if (removeSelectors !== undefined)
    await addRule(tab, { selector: removeSelectors, declaration: ["display", "none"] }, signal);
  return [];
};

interface Rule {
  readonly selector: string;
  readonly declaration: readonly [property: string, value: string];
}

async function addRule(tab: Tab, { selector, declaration }: Rule, signal: AbortSignal): Promise<void> {
  const isValid = await evaluate<boolean>(tab, call(ADD_RULE, [selector, ...declaration]), signal);
  if (!isValid) throw invalidSelector(selector);
}
