/*
 * Definitions for code that runs in the page.
 */

/**
 * Defines a function that returns an element's open shadow root, and one that returns a root and every open shadow root
 * within it. A form control named `shadowRoot` hides the form's property, but not the prototype's
 * getter.
 */
export const ROOTS_OF = `const { get: shadowRoot } = Object.getOwnPropertyDescriptor(Element.prototype, "shadowRoot");
const shadowRootOf = (element) => shadowRoot.call(element);
const rootsOf = (root) => [
  root,
  ...[...root.querySelectorAll("*")].map(shadowRootOf).filter((shadow) => shadow !== null).flatMap(rootsOf),
];`;

/** Defines a function that returns what is shown for an element: a canvas, if `stabilize` has put one in its place. */
export const SHOWN_FOR =
  "const shownFor = (element) => globalThis.snapFrozen?.canvases.get(element) ?? element;";

/** Defines a function that returns the elements within some roots that match a selector; `null` if it is invalid. */
export const MATCHES_OF = `const matchesOf = (roots, selector) => {
  try {
    return roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  } catch {
    return null;
  }
};`;

/**
 * Defines a function that sets an `!important` inline style. A form control named `style` hides
 * the form's property, but not the prototype's getter.
 */
export const SET_STYLE = `const { get: htmlStyle } = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "style");
const setStyle = (element, name, value) => {
  const style = element instanceof HTMLElement ? htmlStyle.call(element) : element.style;
  style?.setProperty(name, value, "important");
};`;

/**
 * Defines a function that adds a style sheet to some roots, and returns it. A constructed one is not subject to the page's
 * content security policy, and adds no element to the page.
 */
export const ADOPT_SHEET = `const adoptSheet = (roots, css) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  for (const root of roots) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return sheet;
};`;

/**
 * Defines a function that returns whether the page's content continues to the left, as in right-to-left text. The body's
 * direction applies to the page (CSS Writing Modes 4, section 8.1).
 */
export const FLOWS_LEFT = `const flowsLeft = () => {
  const { direction, writingMode } = getComputedStyle(document.body ?? document.documentElement);
  return writingMode.startsWith("horizontal") ? direction === "rtl" : writingMode.endsWith("rl");
};`;

/**
 * Defines a function that waits for the next frame. Without JavaScript, timers do not run, but
 * frame callbacks do.
 */
export const NEXT_FRAME = `const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => resolve()));`;

/** Returns an expression that calls a function in the page with a JSON value. */
export function call(functionSource: string, argument?: unknown): string {
  return `(${functionSource})(${JSON.stringify(argument)})`;
}
