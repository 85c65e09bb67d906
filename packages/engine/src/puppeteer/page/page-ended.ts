import { SnapError } from "../../errors.ts";

/**
 * Returns the error of a render whose page had to be ended, because it would have harmed other renders. It is not
 * retried: the page would do the same again.
 */
export function pageEnded(message: string, detail?: string): SnapError {
  return new SnapError("upstream_error", message, {
    endedPage: true,
    ...(detail === undefined ? {} : { detail }),
  });
}
