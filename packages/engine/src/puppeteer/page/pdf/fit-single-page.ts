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

/**
 * A layer, because of two important declarations that of a layer wins. An inline style wins over both. In quirks mode, the
 * page would fill the paper unless its elements have a height, and a normal declaration of a layer yields to any of the page.
 */
const REMOVE_BREAKS = `(margins) => {
  ${ROOTS_OF}
  const names = ["break-before", "break-after", "break-inside", "page"];
  const declarations = names.map((name) => name + ":auto !important").join(";");
  const height = document.compatMode === "BackCompat" ? "html,body{height:fit-content}" : "";
  const css = "@layer { " + height + " *,::before,::after{" + declarations + "} @page{size:auto !important;margin:" + margins + " !important} }";
  for (const root of rootsOf(document)) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    for (const { style } of root.querySelectorAll("[style*=break], [style*=page]"))
      for (const name of names) style?.setProperty(name, "auto", "important");
  }
}`;

/**
 * Elements in a fixed position keep their distance from the edges of the paper, so they are content only if nothing else is:
 * such a page is as high as the paper.
 */
const MEASURE = `(async () => {
  const root = document.documentElement;
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const isVisible = ({ width, height }) => width > 0 && height > 0;
  const hasText = [...(document.body?.childNodes ?? [])].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
  const lowestBottom = () => {
    const fixed = new Set();
    let [showsFixed, showsOther] = [false, hasText];
    let lowest = root.getBoundingClientRect().bottom + (parseFloat(getComputedStyle(root).marginBottom) || 0);
    for (const element of root.querySelectorAll("*")) {
      const box = element.getBoundingClientRect();
      if (fixed.has(element.parentElement) || getComputedStyle(element).position === "fixed") {
        fixed.add(element);
        showsFixed ||= isVisible(box);
      } else {
        lowest = Math.max(lowest, box.bottom);
        showsOther ||= element !== document.body && isVisible(box);
      }
    }
    if (showsFixed && !showsOther) return innerHeight;
    return Math.max(1, lowest + scrollY); // no page is 0 px high
  };
  const contentHeight = () => {
    const { scrollHeight } = document.scrollingElement ?? root;
    return scrollHeight > innerHeight ? scrollHeight : Math.min(Math.max(1, scrollHeight), lowestBottom());
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
  // a height in percent is relative to the viewport on the root element, and in quirks mode on the body, too
  const filling = [document.documentElement, document.compatMode === "BackCompat" ? document.body : null];
  globalThis.snapLengthsOf = (element) => {
    const styles = element.computedStyleMap();
    return ${JSON.stringify(LENGTHS)}.map((name) => {
      const value = String(styles.get(name));
      return filling.includes(element) && /height/.test(name) && /^[\\d.]+%$/.test(value)
        ? (parseFloat(value) / 100) * innerHeight + "px"
        : value;
    });
  };
  const elements = rootsOf(document).flatMap((part) => [...part.querySelectorAll("*")]).slice(0, ${ELEMENTS_MAX});
  globalThis.snapLengths = new Map(elements.map((element) => [element, snapLengthsOf(element)]));
}`;

/** Fixes the lengths that have changed since at their current values. */
const FIX_LENGTHS = `() => {
  const names = ${JSON.stringify(LENGTHS)};
  const changes = [...snapLengths].flatMap(([element, before]) =>
    snapLengthsOf(element).flatMap((value, index) => (value === before[index] ? [] : [[element, names[index], value]])),
  );
  for (const [element, name, value] of changes) element.style?.setProperty(name, value, "important");
  return changes.length > 0;
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

/** The same page in a viewport of another height, and in the one that its lengths are to fit. */
export interface Viewports {
  readonly enterOther: () => Promise<void>;
  readonly enterFinal: () => Promise<void>;
}

/**
 * Fixes lengths in `vh` and the like; returns whether there are any. After a print, Chromium updates them only when the
 * viewport changes.
 */
export async function fixLengths(tab: Tab, viewports: Viewports, signal: AbortSignal): Promise<boolean> {
  await viewports.enterOther();
  await evaluate(tab, `(${RECORD_LENGTHS})()`, signal);
  await viewports.enterFinal();
  return evaluate<boolean>(tab, `(${FIX_LENGTHS})()`, signal);
}
