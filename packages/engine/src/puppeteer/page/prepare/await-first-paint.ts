import { DEFAULT_WAIT_TIMEOUT_MS } from "@snap/protocol";
import { WAIT_CAPPED } from "../../../ports/renderer.ts";
import { abortable, giveUpAfter } from "../../../timeouts.ts";
import { evaluate } from "../evaluate.ts";
import { NEXT_FRAME } from "../in-page.ts";
import type { Step } from "./step.ts";

/** A busy page, or one on a busy machine, needs this long for a frame. */
const FRAME_MIN_MS = 1_000;

const AWAIT_FRAME = `(async () => {
  ${NEXT_FRAME}
  await nextFrame();
  return true;
})()`;

/**
 * Waits until a page that has not reached `load` is painted. While a style sheet in its head is loading, Chromium paints
 * nothing, and no screenshot completes; after `waitTimeout`, loading is stopped.
 */
export const awaitFirstPaint: Step = async ({ tab, parameters }, signal) => {
  if (parameters.pdf || tab.progress.hasReached("load")) return [];
  const { waitTimeout = DEFAULT_WAIT_TIMEOUT_MS } = parameters;
  const durationMs = Math.max(waitTimeout, FRAME_MIN_MS);
  const isPainted = await giveUpAfter({ signal, durationMs, otherwise: false }, (stepSignal) =>
    evaluate<boolean>(tab, AWAIT_FRAME, stepSignal),
  );
  if (isPainted) return [];
  await abortable(signal, tab.session.send("Page.stopLoading"));
  return [WAIT_CAPPED];
};
