import { createHash } from "node:crypto";
import { UNSTABLE } from "../../../ports/renderer.ts";
import { giveUpAfter } from "../../../timeouts.ts";
import { captureFormatOf, captureScreenshot, requireCapturableSize } from "../capture-screenshot.ts";
import { endTransitions } from "../end-transitions.ts";
import { evaluateInFrames } from "../evaluate.ts";
import { call } from "../in-page.ts";
import { measure } from "../measure.ts";
import { viewportOf } from "../configure/viewport.ts";
import { AnimatedImages } from "./animated-images.ts";
import { FREEZE_FRAME } from "./freeze-frame.ts";
import type { PageToRender } from "../page-to-render.ts";
import type { Step } from "./step.ts";

const STABILIZE_MAX_MS = 3_000;
/** Enough to look for animated images, which waits for the files of the page, and to freeze what moves. */
const FREEZE_ONCE_MAX_MS = 3_000;

/** `stabilize`: stops everything that moves, until two captures in a row are equal or the time limit is reached. */
export const stabilize: Step = async (page, signal) => {
  if (!page.parameters.stabilize) return [];
  const images = new AnimatedImages();
  const endsAtMs = performance.now() + STABILIZE_MAX_MS;
  for (let last = "", leftMs = STABILIZE_MAX_MS; leftMs > 0; leftMs = endsAtMs - performance.now()) {
    const limit = { signal, durationMs: leftMs, otherwise: false };
    const isReady = await giveUpAfter(limit, (stepSignal) => freeze(page, images, stepSignal));
    // no time limit: Chromium could still be resizing the page for a draft during the final capture
    const draft = await captureDraft(page, signal);
    const digest = createHash("sha256").update(draft).digest("hex");
    if (isReady && digest === last) return [];
    last = digest;
  }
  return [UNSTABLE];
};

/** Stops what moves now, before the page's scripts stop; afterwards, images cannot be stopped. */
export async function freezeOnce(page: PageToRender, signal: AbortSignal): Promise<void> {
  const limit = { signal, durationMs: FREEZE_ONCE_MAX_MS, otherwise: false };
  await giveUpAfter(limit, (stepSignal) => freeze(page, new AnimatedImages(), stepSignal));
}

/** Returns whether everything that moves is known and every frame has loaded everything it needs. */
async function freeze(
  { tab, parameters }: PageToRender,
  images: AnimatedImages,
  signal: AbortSignal,
): Promise<boolean> {
  const isKnown = !parameters.javascript || (await images.find(tab, signal));
  const freezeFrame = (frameId: string): string => call(FREEZE_FRAME, images.urlsIn(frameId));
  const areReady = await evaluateInFrames<boolean>(tab, freezeFrame, signal);
  return isKnown && areReady.every((isReady) => isReady);
}

/** Captures the same area as the render; for a PDF, the viewport. */
async function captureDraft(
  { tab, parameters, maxBytes }: PageToRender,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const viewport = viewportOf(parameters);
  if (parameters.pdf)
    return captureScreenshot(tab, { area: null, viewport, format: "png", maxBytes }, signal);
  await endTransitions(tab, signal);
  const { area } = await measure(tab, parameters, signal);
  requireCapturableSize(area, parameters);
  const captured = captureFormatOf(parameters);
  const format = captured === "webp" ? "jpeg" : captured; // WebP is slow to encode
  const { quality } = parameters;
  return captureScreenshot(tab, { area, viewport, format, quality, maxBytes }, signal);
}
