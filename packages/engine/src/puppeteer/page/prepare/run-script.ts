import { withTimeout } from "../../../timeouts.ts";
import { waitUntilReady } from "../wait-for-page.ts";
import { runInPage, scriptFailed } from "./run-in-page.ts";
import type { Step } from "./step.ts";

const SCRIPT_MAX_MS = 10_000;

/** `script`: runs JavaScript in the page as the body of an async function. A script can navigate. */
export const runScript: Step = async ({ tab, parameters }, signal) => {
  const { script } = parameters;
  if (script === undefined) return [];
  // its return value is not used, and could be too large to send
  const expression = `(async () => { await (async () => {\n${script}\n})(); })()`;
  const reason = (): Error => scriptFailed(`The script did not finish within ${SCRIPT_MAX_MS} ms.`);
  const outcome = await withTimeout({ signal, durationMs: SCRIPT_MAX_MS, reason }, (stepSignal) =>
    runInPage({ tab, parameters }, { expression, timeoutMs: SCRIPT_MAX_MS }, stepSignal),
  );
  if (outcome.type === "threw" || outcome.type === "invalid")
    throw scriptFailed(`The script failed: ${outcome.message}`);
  return waitUntilReady({ tab, parameters }, signal);
};
