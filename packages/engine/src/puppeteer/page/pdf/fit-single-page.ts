import { evaluate } from "../evaluate.ts";
import { ADOPT_SHEET, call, FLOWS_LEFT, NEXT_FRAME, ROOTS_OF, SET_STYLE } from "../in-page.ts";
import type { Tab } from "../tab.ts";

/*
 * The part of `singlePage` that runs in the page: it removes page breaks and measures the content.
 */

/** How long the content may take to stop growing once it is laid out for print. */
const SETTLE_MAX_MS = 1_000;
/** Number of frames in a row in which its height must not change. */
const SETTLE_FRAMES = 3;

/** The page's margins, as CSS lengths. */
type Margins = readonly [top: string, right: string, bottom: string, left: string];

/**
 * In a layer, because `!important` declarations in a layer win over those outside; inline styles
 * win over both. In quirks mode, `html` and `body` without a height fill the paper, so they get
 * one; a normal declaration in a layer yields to the page's. Layers do not affect `@page`, so the
 * document's own rules are removed.
 */
const REMOVE_BREAKS = `(margins) => {
  ${ROOTS_OF} ${SET_STYLE} ${ADOPT_SHEET}
  const names = ["break-before", "break-after", "break-inside", "page"];
  const declarations = names.map((name) => name + ":auto !important").join(";");
  const height = document.compatMode === "BackCompat" ? "html,body{height:fit-content}" : "";
  const css = "@layer { " + height + " *,::before,::after{" + declarations + "} @page{size:auto !important;margin:" + margins + " !important} }";
  const removePageRules = (owner) => {
    let rules;
    try {
      rules = [...owner.cssRules];
    } catch {
      return; // from another origin
    }
    for (const [index, rule] of [...rules.entries()].reverse()) {
      if (rule instanceof CSSPageRule) owner.deleteRule(index);
      else if (rule instanceof CSSImportRule) rule.styleSheet && removePageRules(rule.styleSheet);
      else if (rule instanceof CSSGroupingRule && !(rule instanceof CSSStyleRule)) removePageRules(rule);
    }
  };
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) removePageRules(sheet);
  const roots = rootsOf(document);
  adoptSheet(roots, css);
  for (const element of roots.flatMap((root) => [...root.querySelectorAll("[style*=break i], [style*=page i]")]))
    for (const name of names) setStyle(element, name, "auto");
}`;

/**
 * Fixed elements keep their distance from the paper's edges, so they count as content only if there is no other
 * content. Such a page is as tall as the paper.
 */
const MEASURE = `(async () => {
  const root = document.documentElement;
  ${ROOTS_OF} ${NEXT_FRAME} ${FLOWS_LEFT}
  const isVisible = ({ width, height }) => width > 0 && height > 0;
  const hasText = [...(document.body?.childNodes ?? [])].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
  const lowestBottom = () => {
    const fixed = new Set();
    let [showsFixed, showsOther] = [false, hasText];
    let lowest = root.getBoundingClientRect().bottom + (parseFloat(getComputedStyle(root).marginBottom) || 0);
    for (const element of rootsOf(root).flatMap((part) => [...part.querySelectorAll("*")])) {
      if (!element.checkVisibility()) continue; // in a closed <details>, for example
      const box = element.getBoundingClientRect();
      if (fixed.has(element.parentElement ?? element.getRootNode().host) || getComputedStyle(element).position === "fixed") {
        fixed.add(element);
        showsFixed ||= isVisible(box);
      } else {
        lowest = Math.max(lowest, box.bottom);
        showsOther ||= element !== document.body && isVisible(box);
      }
    }
    if (showsFixed && !showsOther) return innerHeight;
    return Math.max(1, lowest + scrollY); // no page is 0 px tall
  };
  const contentHeight = () => {
    const { scrollHeight } = document.scrollingElement ?? root;
    return scrollHeight > innerHeight ? scrollHeight : Math.min(Math.max(1, scrollHeight), lowestBottom());
  };
  // a page can show more right before it is printed, and hide it again afterwards
  if (globalThis.snapPrintedHeight === undefined) {
    globalThis.snapPrintedHeight = 0;
    addEventListener("beforeprint", () => { globalThis.snapPrintedHeight = contentHeight(); });
  }
  const end = performance.now() + ${SETTLE_MAX_MS};
  let height = contentHeight();
  for (let frames = 0; frames < ${SETTLE_FRAMES} && performance.now() < end; frames += 1) {
    await nextFrame();
    const next = contentHeight();
    if (next !== height) frames = -1;
    height = next;
  }
  // Chromium does not shrink content that overflows to the left
  return { width: flowsLeft() ? innerWidth : root.scrollWidth, height, printedHeight: globalThis.snapPrintedHeight };
})()`;

/** Removes page breaks and the page's own paper settings. */
export async function removeBreaks(tab: Tab, margins: Margins, signal: AbortSignal): Promise<void> {
  await evaluate(tab, call(REMOVE_BREAKS, margins.join(" ")), signal);
}

/** In CSS pixels. */
export interface ContentSize {
  readonly width: number;
  readonly height: number;
  /** Height when the page was last printed; 0 before the first print. */
  readonly printedHeight: number;
}

/** Returns the size of the content once its height has stopped changing, or after a second. */
export function measureContent(tab: Tab, signal: AbortSignal): Promise<ContentSize> {
  return evaluate(tab, MEASURE, signal);
}
