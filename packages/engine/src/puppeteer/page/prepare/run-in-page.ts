import type { SnapParameters } from "@snap/protocol";
import type { Protocol } from "puppeteer";
import { SnapError } from "../../../errors.ts";
import { abortable } from "../../../timeouts.ts";
import { plainText } from "../../describe.ts";
import { DOCUMENT_REPLACED } from "../evaluate.ts";
import { redactSecrets } from "../redact-secrets.ts";
import type { PageToRender } from "../page-to-render.ts";

/** The outcome of a caller's JavaScript. */
export type Outcome =
  | { readonly type: "returned"; readonly value: unknown }
  | { readonly type: "threw"; readonly message: string }
  /** It is not valid JavaScript, and did not run. */
  | { readonly type: "invalid"; readonly message: string }
  /** The page navigated away before it finished. */
  | { readonly type: "replaced" };

/**
 * Evaluates a caller's JavaScript as a script of the page, and awaits a promise. Messages contain
 * no secrets.
 */
export async function runInPage(
  { tab: { session }, parameters }: Pick<PageToRender, "tab" | "parameters">,
  { expression, timeoutMs }: { readonly expression: string; readonly timeoutMs: number },
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const { result, exceptionDetails } = await abortable(
      signal,
      session.send("Runtime.evaluate", {
        expression,
        awaitPromise: true,
        returnByValue: true,
        userGesture: true,
        timeout: timeoutMs, // stops a loop that never yields
      }),
    );
    if (exceptionDetails === undefined) return { type: "returned", value: result.value };
    // errors in valid code reject a promise instead
    const { exception, text } = exceptionDetails;
    const isInvalid = exception?.className === "SyntaxError" && text === "Uncaught";
    return { type: isInvalid ? "invalid" : "threw", message: messageOf(exceptionDetails, parameters) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && DOCUMENT_REPLACED.test(error.message)) return { type: "replaced" };
    // Chromium's response when it stops a loop
    if (error instanceof Error && error.message.endsWith("Internal error"))
      return { type: "threw", message: `it did not yield for ${timeoutMs} ms.` };
    throw error;
  }
}

/** Returns the first line; the rest is a stack. */
function messageOf(
  { exception, text }: Protocol.Runtime.ExceptionDetails,
  parameters: SnapParameters,
): string {
  const description = exception?.description ?? String(exception?.value ?? text);
  return plainText(redactSecrets(description, parameters).split("\n")[0] ?? text);
}

export function scriptFailed(message: string): SnapError {
  return new SnapError("script_failed", message);
}
