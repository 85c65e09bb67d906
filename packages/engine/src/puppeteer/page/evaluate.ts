import { abortable } from "../../timeouts.ts";
import type { Tab } from "./tab.ts";

/** Expressions run in an isolated world, which the page's scripts cannot access. */
const WORLD_NAME = "snap";

/** Chromium's errors if the page navigated during the evaluation. */
const DOCUMENT_REPLACED =
  /context was destroyed|Cannot find context|No frame for given id|Inspected target navigated/i;

/**
 * Evaluates a JavaScript expression in the main frame's document, isolated from the page's scripts. Awaits a promise;
 * the value must be JSON. Retries if the page navigates during the evaluation.
 *
 * @throws Error if the expression throws.
 */
export async function evaluate<T>(tab: Tab, expression: string, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await abortable(signal, evaluateOnce<T>(tab, expression));
    } catch (error) {
      if (!(error instanceof Error) || !DOCUMENT_REPLACED.test(error.message)) throw error;
      signal.throwIfAborted();
    }
  }
}

async function evaluateOnce<T>({ session, mainFrameId }: Tab, expression: string): Promise<T> {
  const world = { frameId: mainFrameId, worldName: WORLD_NAME };
  // creates the document's world at the first call and returns the same one by name later
  const { executionContextId } = await session.send("Page.createIsolatedWorld", world);
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    expression,
    contextId: executionContextId,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
}
