import { abortable, giveUpAfter } from "../../../timeouts.ts";
import { capturableHeight } from "../capture-screenshot.ts";
import { disableScripts } from "../configure/scripts.ts";
import { viewportOf } from "../configure/viewport.ts";
import { evaluate, evaluateInFrames } from "../evaluate.ts";
import { reachesBeyondViewport } from "../measure.ts";
import { NEXT_FRAME, ROOTS_OF } from "../in-page.ts";
import { changeViewport, freezeLengths } from "../viewport-lengths.ts";
import { freezeOnce } from "./stabilize.ts";
import type { Step } from "./step.ts";

/** Parts of frames further than this below the page's top, in CSS pixels, are not shown. */
const BOTTOM_MAX = 20_000;
/** How long the frames may take to paint. */
const PAINT_MAX_MS = 1_000;

/**
 * Returns the lower edge of the lowest frame that is, or contains, a frame from another origin; 0 if there is none. On a
 * mobile page that is wider than the viewport, `viewportHeight` is larger than the height of the viewport.
 */
const LOWEST_EDGE = `(() => {
  ${ROOTS_OF}
  const framesIn = (root) => rootsOf(root).flatMap((each) => [...each.querySelectorAll("iframe, frame, object, embed")]);
  // an image has no window; in XML, any element can have the name of a frame
  const isForeign = (frame) => {
    const { contentWindow, contentDocument } = frame;
    if (frame.localName === "embed") return frame.getSVGDocument?.() === null; // it does not expose its window
    return contentDocument ? framesIn(contentDocument).some(isForeign) : Boolean(contentWindow);
  };
  // a container can clip a frame that reaches further than the page
  const pageHeight = (document.scrollingElement ?? document.documentElement)?.scrollHeight ?? 0;
  const edges = framesIn(document)
    .filter((frame) => isForeign(frame) && frame.checkVisibility({ visibilityProperty: true }))
    .map((frame) => frame.getBoundingClientRect())
    .filter(({ width, height, top }) => width * height > 0 && top + scrollY < ${BOTTOM_MAX})
    .map(({ bottom }) => Math.min(Math.ceil(bottom + scrollY), ${BOTTOM_MAX}, pageHeight));
  return { edge: Math.max(0, ...edges), viewportHeight: innerHeight };
})()`;

interface LowestEdge {
  readonly edge: number;
  readonly viewportHeight: number;
}

const AWAIT_PAINT = `(() => {
  ${NEXT_FRAME}
  return nextFrame().then(nextFrame);
})()`;

/**
 * Chromium does not paint frames from other origins outside the viewport, so they would be blank in a capture beyond
 * it. The viewport becomes tall enough to show them, and whatever depends on its height is frozen. The page's scripts
 * stop, because they could react to the new height.
 */
export const showFrames: Step = async (page, signal) => {
  const { tab, parameters } = page;
  if (parameters.pdf || !reachesBeyondViewport(parameters)) return [];
  const viewport = viewportOf(parameters);
  const { edge, viewportHeight } = await evaluate<LowestEdge>(tab, LOWEST_EDGE, signal);
  const height = Math.min(edge, Math.floor(capturableHeight(parameters)));
  if (height <= viewportHeight) return [];
  const tall = { ...viewport, height: Math.ceil((height * viewport.height) / viewportHeight) };
  if (parameters.stabilize) await freezeOnce(page, signal);
  await abortable(signal, disableScripts(tab.session));
  await freezeLengths(tab, { final: viewport, other: tall, pinsFixedElements: true }, signal);
  await changeViewport(tab, tall, signal);
  const limit = { signal, durationMs: PAINT_MAX_MS, otherwise: [] };
  await giveUpAfter(limit, (stepSignal) => evaluateInFrames(tab, () => AWAIT_PAINT, stepSignal));
  return [];
};
