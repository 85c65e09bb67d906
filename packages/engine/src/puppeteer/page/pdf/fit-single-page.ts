import { evaluate } from "../evaluate.ts";
import { ROOTS_OF } from "../shadow-roots.ts";
import type { Tab } from "../tab.ts";

/*
 * What `singlePage` does in the page: it removes page breaks, measures the content, and fixes lengths that depend on
 * the height of the paper.
 */

/** A page with more elements is not searched for such lengths. */
const ELEMENTS_MAX = 20_000;
/** How long the content may take to stop growing, once it is laid out for print. */
const SETTLE_MAX_MS = 1_000;
/** The frames in which it must not grow. */
const SETTLE_FRAMES = 3;

/** The margins of the page, as CSS lengths. */
type Margins = readonly [top: string, right: string, bottom: string, left: string];

/** A layer, because of two important declarations that of a layer wins. An inline style wins over both. */
const REMOVE_BREAKS = `(margins) => {
  ${ROOTS_OF}
  const names = ["break-before", "break-after", "break-inside", "page"];
  const declarations = names.map((name) => name + ":auto !important").join(";");
  const css = "@layer { *,::before,::after{" + declarations + "} @page{size:auto !important;margin:" + margins + " !important} }";
  for (const root of rootsOf(document)) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    for (const { style } of root.querySelectorAll("[style*=break], [style*=page]"))
      for (const name of names) style?.setProperty(name, "auto", "important");
  }
}`;

/** Elements in a fixed position are not content: they keep their distance from the edges of the paper. */
const MEASURE = `(async () => {
  const root = document.documentElement;
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const bottomOf = (element) => {
    if (getComputedStyle(element).position === "fixed") return 0;
    const bottom = element.getBoundingClientRect().bottom + scrollY;
    return [...element.children].reduce((lowest, child) => Math.max(lowest, bottomOf(child)), bottom);
  };
  const contentHeight = () => {
    const { scrollHeight } = document.scrollingElement ?? root;
    if (scrollHeight > innerHeight) return scrollHeight;
    const margin = parseFloat(getComputedStyle(root).marginBottom) || 0;
    return Math.min(scrollHeight, Math.max(root.getBoundingClientRect().bottom + scrollY + margin, bottomOf(root)));
  };
  const end = performance.now() + ${SETTLE_MAX_MS};
  let height = contentHeight();
  for (let frames = 0; frames < ${SETTLE_FRAMES} && performance.now() < end; frames += 1) {
    await nextFrame();
    const next = contentHeight();
    if (next !== height) frames = -1;
    height = next;
  }
  return { width: root.scrollWidth, height };
})()`;

/** Lengths that may be relative to the height of the viewport. */
const LENGTHS =
  "width height min-width min-height max-width max-height top bottom margin-top margin-bottom padding-top padding-bottom padding-left padding-right font-size line-height row-gap flex-basis grid-template-rows grid-auto-rows".split(
    " ",
  );

/** Remembers computed lengths as \`snapLengths\` in the isolated world of the service. */
const RECORD_LENGTHS = `() => {
  ${ROOTS_OF}
  const root = document.documentElement;
  globalThis.snapLengthsOf = (element) => {
    const styles = element.computedStyleMap();
    return ${JSON.stringify(LENGTHS)}.map((name) => {
      const value = String(styles.get(name));
      // the viewport is what a height of the root element is relative to
      return element === root && /height/.test(name) && /^[\\d.]+%$/.test(value)
        ? (parseFloat(value) / 100) * innerHeight + "px"
        : value;
    });
  };
  const elements = rootsOf(document).flatMap((part) => [...part.querySelectorAll("*")]).slice(0, ${ELEMENTS_MAX});
  globalThis.snapLengths = new Map(elements.map((element) => [element, snapLengthsOf(element)]));
}`;

const FIX_LENGTHS = `() => {
  const changed = [...snapLengths].map(([element, before]) => {
    const now = snapLengthsOf(element);
    return [element, before.map((value, index) => (value === now[index] ? null : value))];
  });
  for (const [element, lengths] of changed)
    lengths.forEach((value, index) => {
      if (value !== null) element.style?.setProperty(${JSON.stringify(LENGTHS)}[index], value, "important");
    });
}`;

/** Removes page breaks, and what the page says about its paper. */
export async function removeBreaks(tab: Tab, margins: Margins, signal: AbortSignal): Promise<void> {
  await evaluate(tab, `(${REMOVE_BREAKS})(${JSON.stringify(margins.join(" "))})`, signal);
}

/** Returns the size of the content in CSS pixels, once it no longer grows. */
export function measureContent(
  tab: Tab,
  signal: AbortSignal,
): Promise<{ readonly width: number; readonly height: number }> {
  return evaluate(tab, MEASURE, signal);
}

/** Fixes lengths in `vh` and the like as they are now; \`changeViewport\` changes the height of the viewport. */
export async function fixLengths(
  tab: Tab,
  changeViewport: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  await evaluate(tab, `(${RECORD_LENGTHS})()`, signal);
  await changeViewport();
  await evaluate(tab, `(${FIX_LENGTHS})()`, signal);
}
