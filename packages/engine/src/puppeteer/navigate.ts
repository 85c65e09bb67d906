import { unless, within } from "./abort.ts";
import { explainNavigation } from "./explain-navigation.ts";
import { letGo, type Tab } from "./tab.ts";

/** The document that says so follows the failure at once; it names the last address of the redirects. */
const ERROR_PAGE_TIMEOUT_MS = 1_000;

export interface Navigation {
  readonly url: string;
  /** Sends the page what this render wants of it. */
  readonly configure: () => Promise<void>;
}

/**
 * Sets the page up and sends it to `url`; resolves when the document begins.
 *
 * @throws SnapError `blocked_host` or `target_unreachable`
 */
export async function navigate(tab: Tab, { url, configure }: Navigation, signal: AbortSignal): Promise<void> {
  if (tab.start === null) await configure();
  else if (await arrives(tab, configure, signal)) return;
  await sendTo(tab, url, signal);
}

/**
 * Lets a held page go; answers whether it came to a document. One that did not is sent there again,
 * because only an answer to `Page.navigate` tells why.
 */
async function arrives(tab: Tab, configure: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
  const { start, progress, lane } = tab;
  // nothing of this is answered before the last, and all of it is done before the document begins
  await unless(signal, Promise.all([configure(), letGo(tab), start?.prepared]));
  await progress.until(signal, () => progress.hasLanded);
  const { failedUrl, hasDocument } = progress;
  if (failedUrl !== null && lane.refusal(failedUrl) !== null)
    throw explainNavigation({ tab, url: failedUrl, netError: null });
  return hasDocument;
}

async function sendTo(tab: Tab, url: string, signal: AbortSignal): Promise<void> {
  const { errorText, isDownload } = await unless(signal, tab.session.send("Page.navigate", { url }));
  if (errorText === undefined && isDownload !== true) return;
  if (errorText === "net::ERR_ABORTED") await requireProcess(tab, signal);
  else await awaitErrorPage(tab, signal);
  throw explainNavigation({
    tab,
    url: tab.progress.failedUrl ?? url,
    netError: errorText ?? "net::ERR_ABORTED",
  });
}

/**
 * @throws SnapError when the page has since led, by a refresh or a script, to where nothing can be shown
 */
export function requireDocument(tab: Tab): void {
  const { failedUrl } = tab.progress;
  if (failedUrl !== null) throw explainNavigation({ tab, url: failedUrl, netError: null });
}

/** A navigation is also aborted by the end of the page's process, which is told a moment later. */
async function requireProcess({ session }: Tab, signal: AbortSignal): Promise<void> {
  await unless(signal, session.send("Target.getTargetInfo"));
}

async function awaitErrorPage({ progress }: Tab, signal: AbortSignal): Promise<void> {
  const limit = { signal, durationMs: ERROR_PAGE_TIMEOUT_MS, reason: () => new Error("no error page") };
  try {
    await within(limit, (limited) => progress.until(limited, () => progress.failedUrl !== null));
  } catch {
    signal.throwIfAborted(); // otherwise the first address has to do
  }
}
