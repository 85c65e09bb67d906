import { unless } from "../../timeouts.ts";
import type { Tab } from "./tab.ts";

/** Expressions run in a world of their own in the page: the page can't reach into it. */
const WORLD_NAME = "snap";

/** What Chromium says when the document was left while we asked. */
const DOCUMENT_REPLACED =
  /context was destroyed|Cannot find context|No frame for given id|Inspected target navigated/i;

/**
 * The value of an expression in the document that the main frame shows, by the page's own language but
 * out of the page's reach. It, or what it promises, must be JSON. Asks again when the document was left meanwhile.
 *
 * @throws Error when the expression throws; expressions of ours don't.
 */
export async function evaluate<T>(tab: Tab, expression: string, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await unless(signal, evaluateOnce<T>(tab, expression));
    } catch (error) {
      if (!(error instanceof Error) || !DOCUMENT_REPLACED.test(error.message)) throw error;
      signal.throwIfAborted();
    }
  }
}

async function evaluateOnce<T>({ session, mainFrameId }: Tab, expression: string): Promise<T> {
  const world = { frameId: mainFrameId, worldName: WORLD_NAME };
  // the world of a document is made once and then found again by its name
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
