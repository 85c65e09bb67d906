import { evaluate } from "../evaluate.ts";
import { invalidSelector } from "../measure.ts";
import { ROOTS_OF } from "../shadow-roots.ts";
import type { Tab } from "../tab.ts";
import type { Step } from "./step.ts";

/**
 * A constructed style sheet is not subject to the page's content security policy, and adds no element to the
 * page.
 */
export const ADD_SHEET = `(css) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}`;

/**
 * Also applies to elements that are added later. The page's inline `!important` styles would win, so they are replaced.
 * The steps run again before the capture, for elements added with such a style.
 */
const ADD_RULE = `([selector, property, value]) => {
  ${ROOTS_OF}
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(selector + "{" + property + ":" + value + "!important}");
  for (const root of rootsOf(document)) {
    let matches;
    try {
      matches = root.querySelectorAll(selector);
    } catch {
      return false;
    }
    for (const element of matches) element.style?.setProperty(property, value, "important");
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  }
  return true;
}`;

/** `css`: adds a style sheet. */
export const addStyles: Step = async ({ tab, parameters: { css } }, signal) => {
  if (css !== undefined) await evaluate(tab, `(${ADD_SHEET})(${JSON.stringify(css)})`, signal);
  return [];
};

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
  const rule = JSON.stringify([selector, ...declaration]);
  if (!(await evaluate<boolean>(tab, `(${ADD_RULE})(${rule})`, signal))) throw invalidSelector(selector);
}
