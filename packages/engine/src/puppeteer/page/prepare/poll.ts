import { sleep } from "../../../timeouts.ts";
import { requireDocument } from "../navigate.ts";
import type { Tab } from "../tab.ts";

const POLL_INTERVAL_MS = 100;

/**
 * Polls until `condition` returns true, and continues across navigations.
 *
 * @throws SnapError if the page navigates to a URL that fails to load.
 */
export async function poll(tab: Tab, condition: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await condition())) {
    await sleep(signal, POLL_INTERVAL_MS);
    requireDocument(tab);
  }
}
