import { sleep } from "../../../timeouts.ts";
import type { Step } from "./step.ts";

/** `delay`: waits for a fixed time. */
export const pause: Step = async ({ parameters }, signal) => {
  if (!parameters.pdf && parameters.delay !== undefined) await sleep(signal, parameters.delay);
  return [];
};
