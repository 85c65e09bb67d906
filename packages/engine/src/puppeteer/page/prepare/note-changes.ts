/** A script that reads the scroll position every 200 ms reacts to the return within this time. */
const RETURN_STABLE_MS = 300;
/** Maximum number of attributes to note. Those at the page's top, which matter after the return, change first. */
const NOTED_CHANGES_MAX = 500;
/** Characters of an attribute's value to compare. */
const NOTED_LENGTH = 1_000;

/**
 * Defines a function that notes which attributes change while the page is scrolled. It returns a
 * function to call after the return to the top. That one waits until these attributes of the elements
 * above the viewport's bottom have their first values again, or other values that no longer change: a
 * script may throttle its scroll events, or follow the scroll position smoothly. Needs `ROOTS_OF` and
 * `WAIT_HELPERS`.
 */
export const NOTE_CHANGES = `
  // a form control named like a method hides the form's own method
  const { getAttribute, getBoundingClientRect } = Element.prototype;
  const isSeen = (element) => element.isConnected && getBoundingClientRect.call(element).top < innerHeight;
  const style = new Image().style;
  const valueOf = (name, text) => {
    if (name === "class") return text ?? "";
    if (name !== "style") return text;
    style.cssText = text?.slice(0, ${NOTED_LENGTH}) ?? "";
    return style.cssText;
  };
  // a value that is set again can be in another order, and a smooth movement never quite ends
  const comparable = (name, text) => valueOf(name, text)?.slice(0, ${NOTED_LENGTH})
    .replaceAll(/-?\\d*\\.?\\d+(e[+-]?\\d+)?/g, (number) => String(Math.round(number * 10) / 10))
    .split(/[\\s;]+/).sort().join(" ").trim();
  const noteChanges = () => {
    const changes = [];
    const names = new Map();
    const observer = new MutationObserver((records) => {
      for (const { target, attributeName: name, oldValue } of records) {
        if (changes.length >= ${NOTED_CHANGES_MAX} || names.get(target)?.has(name)) continue;
        names.set(target, (names.get(target) ?? new Set()).add(name));
        changes.push({ target, name, before: comparable(name, oldValue) });
      }
    });
    for (const root of rootsOf(document)) observer.observe(root, { subtree: true, attributeOldValue: true });
    const different = () => JSON.stringify(changes.flatMap(({ target, name, before }) => {
      const now = comparable(name, getAttribute.call(target, name));
      return now !== before && isSeen(target) ? [now] : [];
    }));
    return async (end) => {
      let [last, lastChange] = ["", performance.now()];
      await waitUntil(end, () => {
        const now = different();
        if (now !== last) [last, lastChange] = [now, performance.now()];
        return now === "[]" || performance.now() - lastChange > ${RETURN_STABLE_MS};
      });
      observer.disconnect();
    };
  };`;
