import { DEFAULT_WAIT_TIMEOUT_MS, type ScreenshotParameters } from "@snap/protocol";
import { SnapError } from "../../../errors.ts";
import { waitsStrictly } from "../../../parameters/waits.ts";
import { WAIT_CAPPED } from "../../../ports/renderer.ts";
import { abortable, giveUpAfter } from "../../../timeouts.ts";
import { evaluate } from "../evaluate.ts";
import { NEXT_FRAME } from "../in-page.ts";
import type { Step } from "./step.ts";

/** Minimum time limit: a busy page, or any page on a busy machine, can take this long to paint a frame. */
const FRAME_MIN_MS = 1_000;

const AWAIT_FRAME = `(async () => {
  ${NEXT_FRAME}
  await nextFrame();
  return true;
})()`;

/**
 * Waits until a page that has not reached `load` is painted. While a style sheet in its head is loading, Chromium paints
 * nothing, and no screenshot completes; after the time limit, loading is stopped.
 *
 * @throws SnapError `render_timeout` if the request sent `waitUntil=networkidle2` and does not accept a capped wait.
 */
export const awaitFirstPaint: Step = async ({ tab, parameters }, signal) => {
  if (parameters.pdf || tab.progress.hasReached("load")) return [];
  const durationMs = paintLimitMs(parameters);
  const isPainted = await giveUpAfter({ signal, durationMs, otherwise: false }, (stepSignal) =>
    evaluate<boolean>(tab, AWAIT_FRAME, stepSignal),
  );
  if (isPainted) return [];
  if (waitsStrictly(parameters))
    throw new SnapError(
      "render_timeout",
      `The page painted nothing within ${durationMs} ms; it is probably still loading a style sheet or running a script.`,
    );
  await abortable(signal, tab.session.send("Page.stopLoading"));
  return [WAIT_CAPPED];
};

/** Like `awaitFirstPaint`, after a click or a script, which may have led to another page. */
export const awaitNextPage: Step = async (page, signal) => {
  const { click, script } = page.parameters;
  return click === undefined && script === undefined ? [] : awaitFirstPaint(page, signal);
};

/**
 * The waits for `load` and `networkidle0` include style sheets: if the page has not reached `load`, they have usually
 * timed out.
 */
function paintLimitMs({ waitUntil, waitTimeout = DEFAULT_WAIT_TIMEOUT_MS }: ScreenshotParameters): number {
  const hasWaited = waitUntil === "load" || waitUntil === "networkidle0";
  return hasWaited ? FRAME_MIN_MS : Math.max(waitTimeout, FRAME_MIN_MS);
}
