import type { CDPSession, Protocol } from "puppeteer";
import { abortable } from "../../timeouts.ts";
import { forEachConcurrently } from "./for-each-concurrently.ts";
import type { Tab } from "./tab.ts";

/** Expressions run in an isolated world, which the page's scripts cannot access. */
const WORLD_NAME = "snap";
/** Evaluating in a frame takes two commands. */
const FRAMES_MAX = 100;
const FRAME_CONCURRENCY = 10;

/** Chromium's errors if the page navigates during the evaluation. */
export const DOCUMENT_REPLACED =
  /context was destroyed|Cannot find context|No frame for given id|Inspected target navigated/i;

/**
 * Evaluates a JavaScript expression in the main frame's document, isolated from the page's scripts. Awaits a promise;
 * the value must be JSON. Retries if the page navigates during the evaluation.
 *
 * @throws Error if the expression throws.
 */
export async function evaluate<T>(
  { session, mainFrameId: frameId }: Pick<Tab, "session" | "mainFrameId">,
  expression: string,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    try {
      return await evaluateOnce<T>({ session, frameId }, expression, signal);
    } catch (error) {
      if (!(error instanceof Error) || !DOCUMENT_REPLACED.test(error.message)) throw error;
      signal.throwIfAborted();
    }
  }
}

/**
 * Evaluates an expression, isolated from the page's scripts, in the documents of all frames, including out-of-process
 * ones, a few at a time; of more than 100 frames, only in the first 100. Omits the results of frames in which it fails,
 * such as those being removed. The results are in no particular order.
 */
export async function evaluateInFrames<T>(
  { frameSessions }: Tab,
  expressionFor: (frameId: string) => string,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const trees = [...frameSessions].map(async (session) => {
    const { frameTree } = await session.send("Page.getFrameTree");
    return frameIdsOf(frameTree).map((frameId) => ({ session, frameId }));
  });
  const frames = valuesOf(await abortable(signal, Promise.allSettled(trees))).flat();
  const results: T[] = [];
  await forEachConcurrently(frames.slice(0, FRAMES_MAX), FRAME_CONCURRENCY, async (frame) => {
    try {
      results.push(await evaluateOnce<T>(frame, expressionFor(frame.frameId), signal));
    } catch {
      signal.throwIfAborted();
    }
  });
  return results;
}

interface Frame {
  readonly session: CDPSession;
  readonly frameId: string;
}

function frameIdsOf({ frame, childFrames = [] }: Protocol.Page.FrameTree): string[] {
  return [frame.id, ...childFrames.flatMap(frameIdsOf)];
}

function valuesOf<T>(outcomes: readonly PromiseSettledResult<T>[]): T[] {
  return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
}

async function evaluateOnce<T>(
  { session, frameId }: Frame,
  expression: string,
  signal: AbortSignal,
): Promise<T> {
  const world = { frameId, worldName: WORLD_NAME };
  // the first call creates the document's world, and later ones return the same one by name
  const created = session.send("Page.createIsolatedWorld", world);
  const { executionContextId: contextId } = await abortable(signal, created);
  const request = { expression, contextId, awaitPromise: true, returnByValue: true };
  const evaluated = session.send("Runtime.evaluate", request);
  const { result, exceptionDetails } = await abortable(signal, evaluated);
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
}
