import { evaluate } from "../evaluate.ts";
import { invalidSelector } from "../measure.ts";
import { ADOPT_SHEET, call, MATCHES_OF, ROOTS_OF, SET_STYLE } from "../in-page.ts";
import type { Tab } from "../tab.ts";
import type { Step } from "./step.ts";

/**
 * Ends the transitions that the sheet starts: the capture would otherwise show the page in the middle of them. A sheet
 * that the document still has is not added again.
 */
const ADD_SHEET = `(css) => {
  ${ROOTS_OF} ${ADOPT_SHEET}
  if (document.adoptedStyleSheets.some(({ snapCss }) => snapCss === css)) return;
  const transitionsNow = () =>
    rootsOf(document).flatMap((root) => root.getAnimations()).filter((animation) => animation instanceof CSSTransition);
  const before = new Set(transitionsNow());
  adoptSheet([document], css).snapCss = css;
  for (const transition of transitionsNow()) if (!before.has(transition)) transition.finish();
}`;

/**
 * Also applies to elements that are added later. The page's inline `!important` styles would win, so they are replaced.
 * The steps run again before the capture, for elements added with such a style. A transition would delay the change.
 */
const ADD_RULE = `({ selector, property, value, withContent }) => {
  ${ROOTS_OF} ${MATCHES_OF} ${SET_STYLE} ${ADOPT_SHEET}
  const roots = rootsOf(document);
  const matches = matchesOf(roots, selector);
  if (matches === null) return false;
  const apply = (roots, elements, selectors) => {
    for (const element of elements) {
      setStyle(element, property, value);
      setStyle(element, "transition", "none");
    }
    const declarations = "{" + property + ":" + value + "!important;transition:none!important}";
    return adoptSheet(roots, selectors.map((each) => each + declarations).join("")).cssRules.length;
  };
  // querySelectorAll accepts an unclosed bracket, string or comment, which swallows the declarations
  if (apply(roots, matches, [selector]) !== 1) return false;
  if (!withContent) return true;
  const [all, inAll] = [":is(" + selector + ")", ":is(" + selector + ") *"];
  const content = matchesOf(roots, inAll);
  apply(roots, content, [all + "::before", all + "::after", all + "::backdrop", inAll, inAll + "::before", inAll + "::after"]);
  const shadows = [...matches, ...content].map(shadowRootOf).filter((shadow) => shadow !== null).flatMap(rootsOf);
  apply(shadows, matchesOf(shadows, "*"), ["*", "*::before", "*::after"]);
  return true;
}`;

/** `css`: adds a style sheet, unless the document still has it. */
export const addStyles: Step = async ({ tab, parameters: { css } }, signal) => {
  if (css !== undefined) await addSheet(tab, css, signal);
  return [];
};

export async function addSheet(tab: Tab, css: string, signal: AbortSignal): Promise<void> {
  await evaluate(tab, call(ADD_SHEET, css), signal);
}

/** `hideSelectors`: makes elements invisible, including descendants that the page makes visible explicitly. */
export const hideElements: Step = async ({ tab, parameters: { hideSelectors: selector } }, signal) => {
  const rule = { property: "visibility", value: "hidden", withContent: true };
  if (selector !== undefined) await addRule(tab, { selector, ...rule }, signal);
  return [];
};

/** `removeSelectors`: removes elements from the layout. */
export const removeElements: Step = async ({ tab, parameters: { removeSelectors: selector } }, signal) => {
  const rule = { property: "display", value: "none", withContent: false };
  if (selector !== undefined) await addRule(tab, { selector, ...rule }, signal);
  return [];
};

interface Rule {
  readonly selector: string;
  readonly property: string;
  readonly value: string;
  /** Whether it also applies to everything in the elements. */
  readonly withContent: boolean;
}

async function addRule(tab: Tab, rule: Rule, signal: AbortSignal): Promise<void> {
  const isValid = await evaluate<boolean>(tab, call(ADD_RULE, rule), signal);
  if (!isValid) throw invalidSelector(rule.selector);
}
