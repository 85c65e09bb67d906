import { requireDocument } from "../navigate.ts";
import { awaitFirstPaint, awaitNextPage } from "./await-first-paint.ts";
import { awaitFonts } from "./await-fonts.ts";
import { awaitFunction } from "./await-function.ts";
import { awaitHidden } from "./await-hidden.ts";
import { awaitSelector } from "./await-selector.ts";
import { reapplyStyles, changeStyles } from "./change-styles.ts";
import { clickElement } from "./click-element.ts";
import { declineConsent } from "./decline-consent.ts";
import { hideFilteredElements } from "./hide-filtered-elements.ts";
import { expandScrollers } from "./expand-scrollers.ts";
import { loadLazyContent } from "./load-lazy-content.ts";
import { pause } from "./pause.ts";
import { runScript } from "./run-script.ts";
import { showFrames } from "./show-frames.ts";
import { stabilize } from "./stabilize.ts";
import { switchToPrint } from "./switch-to-print.ts";
import type { PageToRender } from "../page-to-render.ts";
import type { Step } from "./step.ts";
import { addStyles, hideElements, removeElements } from "./style-page.ts";

/** Every step, in order. */
const STEPS: readonly Step[] = [
  awaitSelector,
  pause,
  awaitFirstPaint,
  declineConsent,
  hideFilteredElements,
  changeStyles,
  clickElement,
  runScript,
  awaitNextPage,
  reapplyStyles,
  awaitFunction,
  awaitHidden,
  expandScrollers,
  loadLazyContent,
  showFrames,
  // again, for elements and style sheets that the page has added since
  hideFilteredElements,
  addStyles,
  hideElements,
  removeElements,
  awaitFonts,
  stabilize,
  switchToPrint,
];

/**
 * Prepares a loaded page for its capture, as the parameters request. Resolves with notes for the caller.
 *
 * @throws SnapError if a step fails, or if the page navigates to a URL that fails to load.
 */
export async function prepare(page: PageToRender, signal: AbortSignal): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const step of STEPS) {
    notes.push(...(await step(page, signal)));
    requireDocument(page.tab);
  }
  return notes;
}
