import { createHash } from "node:crypto";
import { abortable } from "../../../timeouts.ts";
import { UNSTABLE } from "../../../ports/renderer.ts";
import { captureScreenshot, requireCapturableSize } from "../capture-screenshot.ts";
import { evaluateInFrames } from "../evaluate.ts";
import { measure } from "../measure.ts";
import { viewportOf } from "../configure/viewport.ts";
import type { Tab } from "../tab.ts";
import { animatedImagesOf } from "./animated-images.ts";
import { FREEZE_FRAME } from "./freeze-frame.ts";
import { giveUpAfter } from "./give-up-after.ts";
import type { PageToCapture, Step } from "./step.ts";

const STABILIZE_MAX_MS = 3_000;

/** `stabilize`: stops what moves until two captures agree. */
export const stabilize: Step = async (page, signal) => {
  if (!page.parameters.stabilize) return [];
  const endsAtMs = performance.now() + STABILIZE_MAX_MS;
  for (let last = "", leftMs = STABILIZE_MAX_MS; leftMs > 0; leftMs = endsAtMs - performance.now()) {
    const limit = { signal, durationMs: leftMs, otherwise: false };
    const isReady = await giveUpAfter(limit, (limited) => freeze(page, limited));
    // never abandoned: Chromium would still resize the page for it while the render captures
    const draft = await captureDraft(page, signal);
    const digest = createHash("sha256").update(draft).digest("hex");
    if (isReady && digest === last) return [];
    last = digest;
  }
  return [UNSTABLE];
};

/** Returns whether every frame has loaded what it needs for its state. */
async function freeze({ tab, parameters }: PageToCapture, signal: AbortSignal): Promise<boolean> {
  const urls = parameters.javascript ? await animatedImagesIn(tab, signal) : null;
  const frames = await evaluateInFrames<boolean>(tab, `${FREEZE_FRAME}(${JSON.stringify(urls)})`, signal);
  return frames.every((isReady) => isReady);
}

async function animatedImagesIn({ frameSessions }: Tab, signal: AbortSignal): Promise<readonly string[]> {
  const animated = Promise.allSettled([...frameSessions].map(animatedImagesOf));
  const outcomes = await abortable(signal, animated);
  return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
}

/** Captures what the render will capture; for a PDF, the viewport. */
async function captureDraft(
  { tab, parameters, maxBytes }: PageToCapture,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (parameters.pdf) {
    const { width, height } = viewportOf(parameters);
    const params = { format: "png", optimizeForSpeed: true } as const;
    return tab.channel.captureScreenshot({ params, maxBytes, pixels: width * height }, signal);
  }
  const { area } = await measure(tab, parameters, signal);
  requireCapturableSize(area, parameters);
  // WebP is slow to encode
  const draft = {
    ...parameters,
    format: parameters.format === "webp" ? ("jpeg" as const) : parameters.format,
  };
  return captureScreenshot(tab, { area, parameters: draft, maxBytes }, signal);
}
